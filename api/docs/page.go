package docs

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"portico/locale"
	"portico/portal/access"
)

// What the page shows without scripts. It has less than openapi.json; with scripts, Redoc shows everything.
type (
	page struct {
		Version, Origin string
		Scripts         []string
		Guide           []block
		Groups          []group
		Common          []string // codes of refusals
		Refusals        []refusal
	}
	// block is a heading, a listing or a paragraph of the guide.
	block struct {
		Heading, Listing string
		Paragraph        []string // every second piece is code
	}
	group struct {
		Name, ID, About string
		Calls           []call
	}
	call struct {
		ID, Method, Path, Summary string
		Token                     bool
		Params                    []param
		Refusals                  []string
	}
	param struct {
		Name     string
		Optional bool
	}
	refusal struct {
		Code         string
		Status, HTTP int
		Message      string
	}
)

// number returns the refusal's status, and its HTTP status unless that is 200.
func (r refusal) number() string {
	if r.HTTP == http.StatusOK {
		return strconv.Itoa(r.Status)
	}
	return fmt.Sprintf("%d, HTTP %d", r.Status, r.HTTP)
}

// afterParam returns what follows the name of the parameter at i in a list.
func (c call) afterParam(i int) (text string) {
	if c.Params[i].Optional {
		text = " (optional)"
	}
	if i < len(c.Params)-1 {
		text += ", "
	}
	return text
}

// onceParameter is the header of calls that must take effect once.
const onceParameter = "#/components/parameters/IdempotencyKey"

// page arranges the description for reading: calls by tag, in the order of the file.
func (d *description) page(origin string, scripts []string) (page, error) {
	p := page{Version: d.Info.Version, Origin: origin, Scripts: scripts, Guide: d.guide(origin), Common: d.Common}
	for _, tag := range d.Tags {
		group := group{
			Name: tag.Name, ID: strings.ToLower(strings.ReplaceAll(tag.Name, " ", "-")), About: tag.Description,
		}
		for _, path := range d.Paths.names {
			for method, o := range d.Paths.values[path] {
				if slices.Contains(o.Tags, tag.Name) {
					group.Calls = append(group.Calls, d.call(strings.ToUpper(method), path, o))
				}
			}
		}
		p.Groups = append(p.Groups, group)
	}
	var err error
	p.Refusals, err = d.refusals(p)
	return p, err
}

// guide splits the text about the API into blocks. Of Markdown it knows what the text uses: headings, listings, lines
// of lists and code.
func (d *description) guide(origin string) (all []block) {
	text := strings.ReplaceAll(d.Info.Description, "https://api.example.com", origin)
	for part := range strings.SplitSeq(text, "\n\n") {
		if heading, ok := strings.CutPrefix(part, "## "); ok {
			all = append(all, block{Heading: heading})
		} else if listing, ok := strings.CutPrefix(part, "```\n"); ok {
			all = append(all, block{Listing: strings.TrimSuffix(listing, "\n```")})
		} else {
			all = append(all, block{Paragraph: strings.Split(part, "`")})
		}
	}
	return all
}

func (d *description) call(method, path string, o *operation) call {
	call := call{ID: o.ID, Method: method, Path: path, Summary: o.Summary, Refusals: o.Refusals}
	_, call.Token = o.Security[0]["token"]
	for _, p := range o.Parameters {
		switch p.Ref {
		case "":
			call.Params = append(call.Params, param{p.Name, !p.Required})
		case onceParameter:
			call.Params = append(call.Params, param{"Idempotency-Key", true})
		}
	}
	body := d.bodyOf(o)
	for _, name := range body.Properties.names {
		call.Params = append(call.Params, param{name, !slices.Contains(body.Required, name)})
	}
	return call
}

// refusals returns the refusals of all calls by their numbers.
func (d *description) refusals(p page) ([]refusal, error) {
	used := map[string]bool{}
	for _, code := range p.Common {
		used[code] = true
	}
	for _, g := range p.Groups {
		for _, c := range g.Calls {
			for _, code := range c.Refusals {
				used[code] = true
			}
		}
	}
	catalogue := d.catalogue()
	var all []refusal
	for code := range maps.Keys(used) {
		r, ok := catalogue[code]
		if !ok {
			return nil, fmt.Errorf("no refusal is called %s", code)
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b refusal) int { return cmp.Compare(a.Status, b.Status) })
	return all, nil
}

// catalogue returns every refusal with its number and English text: those of package access, and those that only the
// description has, whose text is its example.
func (d *description) catalogue() map[string]refusal {
	all := map[string]refusal{}
	for _, response := range d.Components.Responses {
		if e := response.Content["application/json"].Example; e.Code != "" {
			all[e.Code] = refusal{Code: e.Code, Status: e.Status, HTTP: e.Status % 1000, Message: e.Message}
		}
	}
	for _, row := range access.Catalogue {
		code := string(row.Refusal)
		all[code] = refusal{
			Code: code, Status: row.Status, HTTP: row.HTTP, Message: locale.English.T("error." + code),
		}
	}
	return all
}
