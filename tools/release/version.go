package main

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
)

// version is the version of a release, as each place spells it.
type version struct {
	file   string // in names of files, as tag of the image, and as portico version prints it: 1.2.0 or 1.2.0-3-g1234567
	debian string // sorts as Debian sorts: 1.2.0~rc.1 before 1.2.0 before 1.2.0+3.g1234567
	exact  bool   // no commit was made since
}

// described is the output of git describe --tags: a tag, and the commits since.
var described = regexp.MustCompile(`^v(\d+\.\d+\.\d+)(-[0-9A-Za-z.]+)??(?:-(\d+)-g([0-9a-f]+))?$`)

// parseVersion returns the version of a commit. describe is what git describe --tags prints for it, "" without a tag.
// declared is the content of command/VERSION. It is the version in a repository without tags. If the commit has a tag,
// both must agree.
func parseVersion(describe, declared string) (version, error) {
	name := cmp.Or(describe, "v"+declared)
	m := described.FindStringSubmatch(name)
	if m == nil {
		return version{}, fmt.Errorf("%s is not a version like v1.2.0 or v1.2.0-rc.1", name)
	}
	number := m[1]
	pre := m[2]
	commits := m[3]
	hash := m[4]
	v := version{file: number + pre, debian: number, exact: commits == ""}
	if v.exact && v.file != declared {
		return version{}, fmt.Errorf("the tag is %s, and VERSION says %s: they have to agree", name, declared)
	}
	if pre != "" {
		v.debian += "~" + pre[1:]
	}
	if !v.exact {
		v.file += "-" + commits + "-g" + hash
		v.debian += "+" + commits + ".g" + hash
	}
	return v, nil
}

// notesOf returns the section of the changelog for a version, or "Unreleased" for the commits after it. It fails when
// the section is absent, or empty for a version.
func notesOf(changelog string, v version) (string, error) {
	title := "Unreleased"
	if v.exact {
		title = v.file
	}
	for _, section := range strings.Split("\n"+changelog, "\n## ")[1:] {
		head, body, _ := strings.Cut(section, "\n")
		name, _, _ := strings.Cut(head, ",")
		if name != title {
			continue
		}
		if body = strings.TrimSpace(body); body == "" && v.exact {
			return "", fmt.Errorf("the section %q of CHANGELOG.md is empty: write what has changed", title)
		}
		return "# Portico " + head + "\n\n" + body + "\n", nil
	}
	return "", fmt.Errorf("CHANGELOG.md has no section %q: move what stands under Unreleased to it", title)
}
