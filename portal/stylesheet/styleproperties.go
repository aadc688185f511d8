package stylesheet

import "strings"

// What properties take. Nothing here hides, moves or covers: no size of a box, no place, no negative margin, no
// display.
var (
	styleSpacing = lengths(0, 32, "px rem em")
	styleEdge    = lengths(0, 8, "px rem em")
	styleCorner  = lengths(0, 9999, "px rem em %")
	styleLines   = words("none solid dashed dotted double")
	styleBorder  = mixed(styleEdge, styleLines, anyColour)
	styleShadows = either(words("none"), several(shadow, 4, ","))
)

// styleProperties are all the properties that a company's sheet may set, with what each takes.
var styleProperties = propertyTable(map[string]styleReader{
	"color caret-color accent-color outline-color": either(words("inherit"), opaqueColour),
	"background-color":            anyColour,
	"background background-image": background,

	"border border-top border-right border-bottom border-left": styleBorder,
	"border-color": several(anyColour, 4, " "),
	"border-style": several(styleLines, 4, " "),
	"border-width": several(styleEdge, 4, " "),
	"border-top-color border-right-color border-bottom-color border-left-color": anyColour,
	"border-top-style border-right-style border-bottom-style border-left-style": styleLines,
	"border-top-width border-right-width border-bottom-width border-left-width": styleEdge,
	"border-radius": several(styleCorner, 4, " "),
	"border-top-left-radius border-top-right-radius border-bottom-left-radius border-bottom-right-radius": styleCorner,
	"box-shadow": styleShadows,
	"padding":    several(styleSpacing, 4, " "),
	"padding-top padding-right padding-bottom padding-left": styleSpacing,
	"margin": several(either(words("auto"), styleSpacing), 4, " "),
	"margin-top margin-right margin-bottom margin-left": either(words("auto"), styleSpacing),
	"gap":                several(styleSpacing, 2, " "),
	"row-gap column-gap": styleSpacing,

	"font-family":             several(family, 12, ","),
	"font-size":               lengths(12, largestType, "px rem"),
	"font-weight":             either(words("normal bold"), numbers(300, 900)),
	"font-style":              words("normal italic"),
	"line-height":             either(words("normal"), numbers(1.1, 2.5)),
	"letter-spacing":          either(words("normal"), lengths(-.5, 4, "px em rem")),
	"text-align":              words("left right center start end"),
	"text-transform":          words("none uppercase lowercase capitalize"),
	"text-decoration":         mixed(words("none underline"), opaqueColour),
	"text-decoration-line":    words("none underline"),
	"text-decoration-color":   opaqueColour,
	"text-underline-offset":   lengths(0, 12, "px em rem"),
	"text-wrap":               words("wrap balance pretty"),
	"text-decoration-style":   words("solid dashed dotted double wavy"),
	"font-variant-numeric":    words("normal tabular-nums"),
	"-webkit-font-smoothing":  words("auto antialiased"),
	"-moz-osx-font-smoothing": words("auto grayscale"),
})

// stylePaint are the properties that change no size and no place.
var stylePaint = wordSet(
	`color caret-color accent-color outline-color background background-color background-image border-color
	border-top-color
	border-right-color border-bottom-color border-left-color border-radius border-top-left-radius
	border-top-right-radius border-bottom-left-radius
	border-bottom-right-radius box-shadow text-decoration text-decoration-line text-decoration-color
	text-decoration-style text-underline-offset`,
)

// propertyTable gives each of the names its reader.
func propertyTable(rows map[string]styleReader) map[string]styleReader {
	all := map[string]styleReader{}
	for names, read := range rows {
		for name := range strings.FieldsSeq(names) {
			all[name] = read
		}
	}
	return all
}

// namedColours are the colours that CSS has names for.
var namedColours = wordSet(
	`aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown burlywood
	cadetblue
	chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod darkgray darkgreen
	darkgrey darkkhaki
	darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon darkseagreen darkslateblue darkslategray
	darkslategrey darkturquoise
	darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue firebrick floralwhite forestgreen fuchsia gainsboro
	ghostwhite gold goldenrod
	gray green greenyellow grey honeydew hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen
	lemonchiffon lightblue lightcoral
	lightcyan lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon lightseagreen lightskyblue
	lightslategray lightslategrey
	lightsteelblue lightyellow lime limegreen linen magenta maroon mediumaquamarine mediumblue mediumorchid
	mediumpurple mediumseagreen
	mediumslateblue mediumspringgreen mediumturquoise mediumvioletred midnightblue mintcream mistyrose moccasin
	navajowhite navy oldlace olive
	olivedrab orange orangered orchid palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru
	pink plum powderblue purple
	rebeccapurple red rosybrown royalblue saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue
	slateblue slategray slategrey
	snow springgreen steelblue tan teal thistle tomato turquoise violet wheat white whitesmoke yellow yellowgreen`,
)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}
