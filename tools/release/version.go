package main

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// version is the version of a release, as each place spells it.
type version struct {
	program string // as portico version prints it: v1.2.0 or v1.2.0-3-g1234567; as file without a tag
	file    string // in names of files, and as tag of the image: 1.2.0
	debian  string // sorts as Debian sorts: 1.2.0~rc.1 before 1.2.0 before 1.2.0+3.g1234567
	tagged  bool   // the commit itself has the tag
}

// described is the output of git describe --tags: a tag, and the commits since.
var described = regexp.MustCompile(`^v(\d+\.\d+\.\d+)(-[0-9A-Za-z.]+)??(?:-(\d+)-g([0-9a-f]+))?$`)

// parseVersion returns the version of a commit. describe is what git describe --tags prints for it, "" without a tag.
func parseVersion(describe, commit string, date time.Time) (version, error) {
	if describe == "" {
		name := fmt.Sprintf("0.0.0-dev.%s.g%s", date.Format("20060102"), commit[:12])
		return version{program: name, file: name, debian: strings.Replace(name, "-", "~", 1)}, nil
	}
	m := described.FindStringSubmatch(describe)
	if m == nil {
		return version{}, fmt.Errorf("the tag of %s is not a version like v1.2.0 or v1.2.0-rc.1", describe)
	}
	number, pre, commits, hash := m[1], m[2], m[3], m[4]
	v := version{program: describe, file: number + pre, debian: number, tagged: commits == ""}
	if pre != "" {
		v.debian += "~" + pre[1:]
	}
	if !v.tagged {
		v.file += "-" + commits + "-g" + hash
		v.debian += "+" + commits + ".g" + hash
	}
	return v, nil
}

// notesOf returns the section of the changelog for a version: that of a tag, else "Unreleased". It fails when the
// section is absent or empty.
func notesOf(changelog string, v version) (string, error) {
	title := "Unreleased"
	if v.tagged {
		title = v.file
	}
	for _, section := range strings.Split("\n"+changelog, "\n## ")[1:] {
		head, body, _ := strings.Cut(section, "\n")
		name, _, _ := strings.Cut(head, ",")
		if name != title {
			continue
		}
		if body = strings.TrimSpace(body); body == "" && v.tagged {
			return "", fmt.Errorf("the section %q of CHANGELOG.md is empty: write what has changed", title)
		}
		return "# Portico " + head + "\n\n" + body + "\n", nil
	}
	return "", fmt.Errorf("CHANGELOG.md has no section %q: move what stands under Unreleased to it", title)
}
