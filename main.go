// Portico is the sign-in and onboarding site of a multi-company ordering platform, in a single program file.
package main

import "portico/command"

func main() { command.Main() }
