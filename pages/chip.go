package pages

type chip struct{ Kind, Text string }
