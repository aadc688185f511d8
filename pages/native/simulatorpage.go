package native

// FreshApp is an app that was just installed.
func (p *Pages) FreshApp() PlayedApp {
	return PlayedApp{Address: p.apis()[0], State: "online", Version: "3.2.1", MAC: "02:00:5E:10:00:01",
		Manner: mannerAnswers}
}
