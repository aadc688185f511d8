package spreadsheets_test

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"portico/portal/spreadsheets"
)

// written writes a table for comparison: its rows on lines of their own, the cells between bars. A cell has its number
// behind it, if that is not what it shows, and its doubt; a hidden row ends with an exclamation mark.
func written(table spreadsheets.Table) string {
	lines := []string{strings.Join(table.Heads, "|")}
	for _, row := range table.Rows {
		var cells []string
		for _, cell := range row.Cells {
			text := cell.Text
			if cell.Number != "" && cell.Number != cell.Text {
				text += "=" + cell.Number
			}
			if cell.Doubt != "" {
				text += "?" + string(cell.Doubt)
			}
			cells = append(cells, text)
		}
		line := strings.Join(cells, "|")
		if row.Hidden {
			line += "!"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func wantTables(t *testing.T, content []byte, want ...string) spreadsheets.File {
	t.Helper()
	file, err := spreadsheets.Read(t.Context(), content, wanted())
	if err != nil {
		t.Error(err)
		return file
	}
	var got []string
	for _, table := range file.Tables {
		got = append(got, written(table))
	}
	if strings.Join(got, "\n--\n") != strings.Join(want, "\n--\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n--\n"), strings.Join(want, "\n--\n"))
	}
	return file
}

// shared makes a part with shared texts.
func shared(all ...string) part {
	return text(`<sst>` + strings.Join(all, "") + `</sst>`)
}

// formatted makes a part with styles: cell style 1 has the first format, and so on.
func formatted(codes ...string) part {
	made, cells := "<styleSheet><numFmts>", "<xf numFmtId=\"0\"/>"
	for i, code := range codes {
		id := string(rune('0'+i/10)) + string(rune('0'+i%10))
		code = strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;").Replace(code)
		made += `<numFmt numFmtId="2` + id + `" formatCode="` + code + `"/>`
		cells += `<xf numFmtId="2` + id + `"/>`
	}
	return text(made + "</numFmts><cellStyleXfs><xf numFmtId=\"9\"/></cellStyleXfs><cellXfs>" + cells +
		"</cellXfs></styleSheet>")
}

// Each file has the shape that a program is known to write.
func TestFilesOfManyProgramsAreReadWithEveryValue(t *testing.T) {
	const (
		head = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>`
		lee  = "name|contact\nLee|Bo"
	)
	names := shared("<si><t>name</t></si>", "<si><t>contact</t></si>", "<si><t>Lee</t></si>", "<si><t>Bo</t></si>")
	relations := func(target string) part {
		return text(`<?xml version="1.0"?><Relationships>` +
			`<Relationship Id="rId7" Type="http://x/styles" Target="styles.xml"/>` +
			`<Relationship Id="rId1" Type="http://x/worksheet" Target="` + target + `"/></Relationships>`)
	}
	for name, c := range map[string]struct {
		rows  string
		parts parts
		want  string
	}{
		"Excel": {head + `<row r="2" spans="1:2" x14ac:dyDescent="0.25"><c r="A2" t="s"><v>2</v></c>` +
			`<c r="B2" t="s"><v>3</v>` +
			`</c></row>`, parts{sharedPart: names}, lee},
		"Excel, rich text and how it is read": {head + `<row r="2"><c r="A2" t="s"><v>2</v></c><c r="B2" t="s">` +
			`<v>3</v></c>` +
			`</row>`, parts{sharedPart: shared("<si><t>name</t></si>", "<si><t>contact</t></si>",
			`<si><r><rPr><b/></rPr><t xml:space="preserve">王 </t></r><r><t>芳</t></r><rPh sb="0" eb="1"><t>`+
				`wang</t></rPh></si>`,
			`<si><t>Bo</t><phoneticPr fontId="1"/></si>`)}, "name|contact\n王 芳|Bo"},
		"Excel, characters that XML does not have": {head + `<row r="2"><c r="A2" t="s"><v>2</v></c></row>`,
			parts{sharedPart: shared("<si><t>name</t></si>", "<si><t>contact</t></si>",
				"<si><t>Le_x000D_e_x005F_x0041_ &amp; &#x738B;</t></si>")}, "name|contact\nLe\re_x0041_ & 王|"},
		"WPS": {`<row r="1" customFormat="1" spans="1:2"><c r="A1" s="0" t="s"><v>0</v></c><c r="B1" t="s"><v>` +
			`1</v></c></row>` +
			`<row r="2"><c r="A2" s="0" t="s"><v>2</v></c><c r="B2" s="0"/></row><row r="3"><c r="A3" s="0"/></row>`,
			parts{sharedPart: names, stylesPart: formatted("@")}, "name|contact\nLee|"},
		"Google Sheets": {`<row r="1" ht="15.75" customHeight="1"><c r="A1" s="1" t="s"><v>0</v></c>` +
			`<c r="B1" s="1" t="s"><v>1` +
			`</v></c></row><row r="2"><c r="A2" t="s"><v>2</v></c><c r="B2" s="1" t="s"><v>3</v></c></row>` +
			strings.Repeat(`<row ht="15.75" customHeight="1"/>`, 998), parts{sharedPart: names,
			stylesPart: formatted("0")}, lee},
		"Numbers": {`<row r="1" ht="27.65" customHeight="1"><c r="A1" t="s" s="2"><v>0</v></c><c r="B1" s="3"/></row>` +
			`<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" t="s"><v>1</v></c></row>` +
			`<row r="3"><c r="A3" t="s"><v>2</v></c><c r="B3" t="s"><v>3</v></c></row>`, parts{sharedPart: names}, lee},
		"pandas": {`<row r="1"><c r="B1" t="inlineStr"><is><t>name</t></is></c><c r="C1" t="inlineStr"><is><t>` +
			`phone</t></is></c>` +
			`</row><row r="2"><c r="A2"><v>0</v></c><c r="B2" t="inlineStr"><is><t>Lee</t></is></c><c r="C2"><v>` +
			`13811113340</v>` +
			`</c></row>`, nil, "|name|phone\n0|Lee|13811113340"},
		"POI": {`<row r="1"><c r="A1" t="inlineStr"><is><t>name</t></is></c><c r="B1" t="inlineStr"><is><t>` +
			`phone</t></is></c>` +
			`</row><row r="2"><c r="A2" t="inlineStr"><is><t>Lee</t></is></c><c r="B2" t="n"><v>` +
			`1.3811114445E10</v></c></row>`,
			nil, "name|phone\nLee|13811114445"},
		"SheetJS": {`<row r="1"><c r="A1" t="str"><v>name</v></c><c r="B1" t="str"><v>price</v></c></row>` +
			`<row r="2"><c r="A2" t="str"><v>Lee</v></c><c r="B2" t="n"><v>32.8</v></c></row>`, nil,
			"name|price\nLee|32.8"},
		"openpyxl": {`<row r="1"><c r="A1" t="inlineStr"><is><t>name</t></is></c><c r="B1" t="inlineStr"><is><t>` +
			`price</t></is>` +
			`</c></row><row r="2"><c r="A2" t="inlineStr"><is><t>Lee</t></is></c><c r="B2"><f>2*16.4</f><v/></c></row>`,
			nil, "name|price\nLee|?uncalculated"},
		"a name space of its own": {"", parts{sheetPart: text(`<x:worksheet xmlns:x="m"><x:sheetData><x:row>` +
			`<x:c t="str">` +
			`<x:v>name</x:v></x:c></x:row><x:row><x:c t="inlineStr"><x:is><x:t>Lee</x:t></x:is></x:c></x:row>` +
			`</x:sheetData>` +
			`</x:worksheet>`)}, "name\nLee"},
		"cells without their places": {`<row><c t="str"><v>name</v></c><c t="str"><v>contact</v></c></row>` +
			`<row><c t="str"><v>Lee</v></c><c t="str"><v>Bo</v></c></row>`, nil, lee},
		"a place from the top": {
			row("name", "contact") + row("Lee", "Bo"),
			parts{"xl/_rels/workbook.xml.rels": relations("/xl/worksheets/sheet1.xml")},
			lee,
		},
		"names in capitals": {
			"",
			parts{sheetPart: part{}, "xl/_rels/workbook.xml.rels": relations("Worksheets/Data.xml"),
				"xl/worksheets/data.XML": text("<worksheet><sheetData>" + row("name", "contact") + row("Lee",
					"Bo") + "</sheetData></worksheet>")},
			lee,
		},
		"backslashes": {
			"",
			parts{sheetPart: part{}, "xl/_rels/workbook.xml.rels": relations("worksheets/data.xml"),
				`xl\worksheets\data.xml`: text("<worksheet><sheetData>" + row("name", "contact") + row("Lee",
					"Bo") + "</sheetData></worksheet>")},
			lee,
		},
		"without relations": {
			row("name", "contact") + row("Lee", "Bo"),
			parts{"xl/_rels/workbook.xml.rels": part{}},
			lee,
		},
		"a byte order mark": {
			"",
			parts{sheetPart: text("\ufeff<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>" +
				"\n<worksheet><sheetData>" + row("name", "contact") + row("Lee", "Bo") + "</sheetData>" +
				"</worksheet>")},
			lee,
		},
		"comments and pictures": {
			row("name", "contact") + row("Lee", "Bo") + "<!-- made by hand -->",
			parts{"xl/media/image1.png": part{{"\x89PNG", 1_000_000}}, "xl/comments1.xml": text("<comments/>")},
			lee,
		},
		"56,000 styles": {
			row("name", "contact") + row("Lee", "Bo"),
			parts{stylesPart: part{{"<styleSheet><cellStyleXfs>", 1},
				{`<xf numFmtId="0" fontId="0" fillId="0"/>`, 56_000}, {"</cellStyleXfs></styleSheet>", 1}}},
			lee,
		},
		"25,000 rows with borders": {
			row("name", "contact") + row("Lee", "Bo") + strings.Repeat(`<row><c s="1"/><c s="1"/></row>`, 25_000),
			nil,
			lee,
		},
		"a space in the last row": {
			row("name", "contact") + row("Lee", "Bo") + `<row r="1048576"><c r="A1048576" t="str"><v> </v></c>` +
				`</row>`,
			nil,
			lee,
		},
		"a title above": {
			row("Our customers") + row() + row("", "as of May") + row("name", "contact") + row("Lee", "Bo"),
			nil,
			lee,
		},
		"two rows of names": {
			row("name", "phone") + row("name", "contact", "phone") + row("Lee", "Bo", "1"),
			nil,
			"name|contact|phone\nLee|Bo|1",
		},
		"a merged name": {
			row("name", "") + row("", "contact") + row("Lee", "Bo") + `</sheetData><mergeCells>` +
				`<mergeCell ref="A1:A2"/></mergeCells><sheetData>`,
			nil,
			lee,
		},
		"merged cells": {
			row("name", "contact") + row("Lee", "Bo") + row("Wang", "") + row("", "") + row("Al", "") +
				`</sheetData><mergeCells><mergeCell ref="B2:B5"/><mergeCell ref="A2:C2"/></mergeCells><sheetData>`,
			nil,
			"name|contact\nLee|Bo\nWang|Bo\nAl|Bo",
		},
		"a hidden row": {
			row("name", "contact") + `<row hidden="1"><c t="str"><v>Old</v></c></row>` + row("Lee", "Bo"),
			nil,
			"name|contact\nOld|!\nLee|Bo",
		},
		"a hidden column": {
			"",
			parts{sheetPart: text(`<worksheet><cols><col min="2" max="2" hidden="1"/></cols><sheetData>` +
				row("name", "price", "contact") + row("Lee", "40", "Bo") + `</sheetData></worksheet>`)},
			"name||contact\nLee||Bo",
		},
		"an error": {
			row("name", "contact") + `<row><c t="e"><v>#N/A</v></c><c t="e"><f>1/0</f><v>#DIV/0!</v></c></row>`,
			nil,
			"name|contact\n#N/A?error|#DIV/0!?error",
		},
		"a formula with its value": {
			row("name", "price") + `<row><c t="str"><f>A9</f><v>Lee</v></c><c><f>2*16.4</f><v>32.8</v></c></row>`,
			nil,
			"name|price\nLee|32.8",
		},
		"a formula with no text": {
			row("name", "price") + `<row><c t="str"><f>A9</f><v>Lee</v></c><c t="str"><f>""</f><v></v></c></row>`,
			nil,
			"name|price\nLee|",
		},
		"true": {
			row("name", "contact") + `<row><c t="str"><v>Lee</v></c><c t="b"><v>1</v></c></row>`,
			nil,
			"name|contact\nLee|TRUE",
		},
		"a date as ISO 8601": {
			row("name", "contact") + `<row><c t="str"><v>Lee</v></c><c t="d"><v>2026-05-10</v></c></row>`,
			nil,
			"name|contact\nLee|2026-05-10?date",
		},
		"a number in another style": {
			row("name", "price") + `<row><c t="str"><v>Lee</v></c><c s="99"><v>32.8</v></c></row>`,
			nil,
			"name|price\nLee|32.8",
		},
	} {
		t.Run(name, func(t *testing.T) {
			content := workbook(t, text(c.rows), c.parts)
			wantTables(t, content, c.want)
		})
	}
}

func TestANumberHasTheValueBehindItsFormat(t *testing.T) {
	for _, c := range []struct{ format, value, want string }{
		{"General", "1234.5", "1234.5"},
		{"General", "36.080000000000005", "36.08"},
		{"General", "0.30000000000000004", "0.3"},
		{"General", "6901234567890", "6901234567890"},
		{"General", "1E-3", "0.001"},
		{`#,##0.00"元"`, "1234.5", "1234.50"},
		{`"¥"#,##0.00`, "1234.5", "1234.50"},
		{"0.00", "32.805", "32.81"},
		{"0.00", "37.0753", "37.08"},
		{"0.00", "1200", "1200.00"},
		{"0", "32.8", "32.8"},
		{"#,##0", "1200", "1200"},
		{"0.0", "32.85", "32.85"},
		{"0.00E+00", "13811114447", "13811114447"},
		{"#,##0", "13811114448", "13811114448"},
		{"000-0000-0000", "13811114440", "138-1111-4440=13811114440"},
		{"00000", "123", "00123=123"},
		{"00000", "1234567", "1234567"},
		{`"GL-"000`, "1", "GL-001=1"},
		{`\A0`, "7", "A7=7"},
		{`0"箱"`, "12", "12箱=12"},
		{`#,##0.00\ [$€-407]`, "1234.5", "1234.50 €"},
		{`[$$-409]#,##0.00`, "1234.5", "1234.50 $"},
		{`[$¥-804]#,##0.00`, "1234.5", "1234.50"},
		{`_-* #,##0.00 "€"_-;\-* #,##0.00 "€"_-`, "32.8", "32.80 €"},
		{`[$-804]0.00`, "32.8", "32.80"},
		{"0%", "0.5", "50%"},
		{"0.00%", "0.1234", "12.34%"},
		{"#,##0,", "32000", "32000?scaled"},
		{`0.0,,"M"`, "32000000", "32000000?scaled"},
		{"yyyy-mm-dd", "43210", "2018-04-20?date"},
		{`m"月"d"日"`, "46152", "2026-05-10?date"},
		{"yyyy/m/d h:mm", "43210.5", "2018-04-20 12:00:00?date"},
		{"[h]:mm", "1.5", "1900-01-01 12:00:00?date"},
		{"[Red]0.00;[Blue]-0.00", "32.8", "32.80"},
		{"[<=9999999]###-####;(###) ###-####", "13811114440", "1381111-4440=13811114440"},
		{"# ?/?", "0.5", "0.5"},
		{"@", "123", "123"},
		{"General", "690123456789012000", "690123456789012000?shortened"},
		{"0", "6.90123456789012E+17", "6.90123456789012E+17?shortened"},
		{"General", "123456789012345", "123456789012345"},
		{"0.00", "many", "many"},
	} {
		rows := row("name", "price") + `<row><c t="str"><v>x</v></c><c s="1"><v>` + c.value + `</v></c></row>`
		content := workbook(t, text(rows), parts{stylesPart: formatted(c.format)})
		t.Run(c.format+" "+c.value, func(t *testing.T) { wantTables(t, content, "name|price\nx|"+c.want) })
	}
	for id, want := range map[string]string{
		"1": "32.5", "2": "32.50", "4": "32.50", "9": "3250%", "14": "1900-02-01 12:00:00?date",
		"22": "1900-02-01 12:00:00?date",
		"44": "32.50", "49": "32.5", "57": "1900-02-01 12:00:00?date", "0": "32.5",
	} {
		styles := text(`<styleSheet><cellXfs><xf numFmtId="` + id + `"/></cellXfs></styleSheet>`)
		content := workbook(t, text(row("name", "price")+`<row><c t="str"><v>x</v></c><c s="0"><v>32.5</v></c></row>`),
			parts{stylesPart: styles})
		t.Run("built in "+id, func(t *testing.T) { wantTables(t, content, "name|price\nx|"+want) })
	}
	content := workbook(t, text(row("name", "price")+`<row><c t="str"><v>x</v></c><c s="1"><v>0</v></c></row>`), parts{
		stylesPart: formatted("yyyy-mm-dd"),
		bookPart: text(`<workbook xmlns:r="r"><workbookPr date1904="1"/><sheets><sheet name="One" r:id="rId1"/>` +
			`</sheets>` +
			`</workbook>`),
	})
	wantTables(t, content, "name|price\nx|1904-01-01?date")
}

func TestSheetsThatAreShownAreRead(t *testing.T) {
	sheet := func(rows string) part { return text("<worksheet><sheetData>" + rows + "</sheetData></worksheet>") }
	book := func(states ...string) parts {
		sheets, relations := "", ""
		for i, state := range states {
			n := string(rune('1' + i))
			sheets += `<sheet name="Sheet ` + n + `" sheetId="` + n + `" state="` + state + `" r:id="rId` + n + `"/>`
			relations += `<Relationship Id="rId` + n + `" Type="http://x/worksheet" Target="worksheets/sheet` +
				n + `.xml"/>`
		}
		return parts{
			bookPart:                     text(`<workbook xmlns:r="r"><sheets>` + sheets + `</sheets></workbook>`),
			"xl/_rels/workbook.xml.rels": text(`<Relationships>` + relations + `</Relationships>`),
			sheetPart:                    sheet(row("name", "price") + row("Rice", "40")),
			"xl/worksheets/sheet2.xml":   sheet(row("name", "price") + row("Rice", "55")),
			"xl/worksheets/sheet3.xml":   sheet(row("How to fill in this file") + row("Use the second sheet.")),
			"xl/worksheets/sheet4.xml":   sheet(""),
		}
	}
	last, this := "name|price\nRice|40", "name|price\nRice|55"
	for _, c := range []struct {
		states, want, others []string
	}{
		{[]string{"", ""}, []string{last, this}, nil},
		{[]string{"hidden", "visible"}, []string{this}, nil},
		{[]string{"veryHidden", ""}, []string{this}, nil},
		{[]string{"", "hidden", "", ""}, []string{last}, []string{"Sheet 3"}},
	} {
		file := wantTables(t, workbook(t, nil, book(c.states...)), c.want...)
		if strings.Join(file.Others, ",") != strings.Join(c.others, ",") {
			t.Errorf("%v: %v are not read, want %v", c.states, file.Others, c.others)
		}
		for i, table := range file.Tables {
			if !strings.HasPrefix(table.Sheet, "Sheet ") {
				t.Errorf("table %d is of %q", i, table.Sheet)
			}
		}
	}
}

func TestTextsOfManyProgramsAreReadWithEveryValue(t *testing.T) {
	encoded := func(by interface{ String(string) (string, error) }, text string) string {
		made, err := by.String(text)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	utf16 := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder()
	const lee = "name|contact\nLee|Bo"
	for name, c := range map[string]struct{ file, want string }{
		"commas":           {"name,contact\nLee,Bo\n", lee},
		"semicolons":       {"name;contact\r\nLee;Bo\r\n", lee},
		"tabs":             {"name\tcontact\nLee\tBo", lee},
		"bars":             {"name|contact\nLee|Bo\n", lee},
		"a line for Excel": {"sep=;\nname;contact\nLee;Bo\n", lee},
		"a mark":           {"\ufeffname,contact\nLee,Bo", lee},
		"UTF-16":           {encoded(utf16, "name\tcontact\nLee\tBo\n"), lee},
		"GB 18030": {
			encoded(simplifiedchinese.GB18030.NewEncoder(), "name,contact\n江边小馆,王芳\n"),
			"name|contact\n江边小馆|王芳",
		},
		"Windows-1252": {
			encoded(charmap.Windows1252.NewEncoder(), "name;contact\nPeña;Ñandú\n"),
			"name|contact\nPeña|Ñandú",
		},
		"lines of a Mac": {"name,contact\rLee,Bo\r", lee},
		"quotes":         {"\"name\",\"contact\"\n\"Lee\",\"Bo\"\n", lee},
		"quotes in a text": {
			"name,contact\n12\" pan,\"the \"\"best\"\"\"\n",
			"name|contact\n12\" pan|the \"best\"",
		},
		"a line within a cell": {"name,contact\n\"Lee\nBo\",x\n", "name|contact\nLee\nBo|x"},
		"a title above":        {"Our customers\n\nname,contact\nLee,Bo\n", lee},
		"a title with commas":  {"Customers, May, 2026, Madrid\nname;contact\nLee;Bo\n", lee},
		"decimals with commas": {"name;price\nRice;32,80\nOil;1.234,50\n", "name|price\nRice|32,80\nOil|1.234,50"},
		"spaces around":        {" name , contact \n Lee , Bo \n", lee},
		"empty lines":          {"name,contact\n\n,\nLee,Bo\n\n", lee},
		"fewer and more cells": {"name,contact\nLee\nWang,Bo,x\n", "name|contact\nLee|\nWang|Bo"},
		"guards": {
			"name,contact\n'00123,\"=\"\"00124\"\"\"\n'+86,='x\n\t00125,'t Hof\n",
			"name|contact\n00123|00124\n+86|='x\n00125|'t Hof",
		},
		"errors": {
			"name,contact\n#N/A,#DIV/0!\n#¡REF!,########\n#1,##\n",
			"name|contact\n#N/A?error|#DIV/0!?error\n#¡REF!?error|########?error\n#1|##",
		},
		"shortened numbers": {
			"name,phone\n6.90123E+12,1.38E+10\nx,\"1,38E+10\"\n1E5,1.5e3\n",
			"name|phone\n6.90123E+12?shortened|1.38E+10?shortened\nx|1,38E+10?shortened\n1E5|1.5e3",
		},
		"numbers with all digits": {
			"name,phone\nx,1.3811114445E10\ny,1.381111444E+10\n",
			"name|phone\nx|13811114445\ny|1.381111444E+10?shortened",
		},
	} {
		t.Run(name, func(t *testing.T) { wantTables(t, []byte(c.file), c.want) })
	}
}

func TestAFileThatIsNoSpreadsheetIsRefused(t *testing.T) {
	whole := string(workbook(t, text(row("name")), nil))
	for name, c := range map[string]struct {
		file string
		want error
	}{
		"a picture":       {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", spreadsheets.ErrUnreadable},
		"Excel 2003":      {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest", spreadsheets.ErrOld},
		"an archive":      {"PK\x03\x04 but nothing else", spreadsheets.ErrUnreadable},
		"half a workbook": {whole[:len(whole)/2], spreadsheets.ErrUnreadable},
		"another archive": {string(workbook(t, nil, parts{bookPart: text("<x/>")})), spreadsheets.ErrUnreadable},
		"a cut sheet": {
			string(workbook(t, nil, parts{sheetPart: text("<worksheet><sheetData>" + row("name"))})),
			spreadsheets.ErrUnreadable,
		},
		"a missing text": {
			string(workbook(t, text(`<row><c t="s"><v>7</v></c></row>`), nil)),
			spreadsheets.ErrUnreadable,
		},
		"a web page":          {"\r\n <HTML><body><table><tr><td>name</td></tr></table>", spreadsheets.ErrWebPage},
		"XML of Excel 2003":   {"<?xml version=\"1.0\"?><Workbook/>", spreadsheets.ErrWebPage},
		"Big5":                {"name\n\xa4\xa4\xff\xff", spreadsheets.ErrUnreadable},
		"bytes without sense": {"name\n\x00\x00", spreadsheets.ErrUnreadable},
	} {
		if _, err := spreadsheets.Read(t.Context(), []byte(c.file),
			wanted()); err == nil || err.Error() != c.want.Error() {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}
