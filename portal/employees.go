package portal

import (
	"slices"
	"strings"
)

// EmployeeRights are what a company's employees may do, of what they may be allowed, for who may change it; Forbidden.
func (p *Portal) EmployeeRights(here Landing) ([]Right, error) {
	if err := may(here, RightSettings); err != nil {
		return nil, err
	}
	given := strings.Fields(here.Member.Company.EmployeeRights)
	var rights []Right
	for _, row := range Rights {
		if !row.Alone && slices.Contains(given, string(row.Right)) {
			rights = append(rights, row.Right)
		}
	}
	return rights, nil
}
