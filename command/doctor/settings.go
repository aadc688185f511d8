package doctor

import (
	"context"
	"log/slog"
	"net"
	"net/netip"

	"portico/config"
)

// Settings checks what a configuration would mean in production.
func Settings(c config.Config) Area {
	return Area{"settings", func(context.Context) []Result {
		var l list
		for _, err := range c.Wrong {
			l.fail("read", "the program does not start with this setting", err.Error())
		}
		if len(l) > 0 {
			return l
		}
		for _, err := range c.CheckProduction() {
			l.fail("production", "it does not start with these settings", err.Error())
		}
		if len(l) > 0 {
			return l
		}
		l.ok("production", "it starts with these settings")
		l.metrics(c.Server.Metrics)
		if c.Support.Phone == "" {
			l.warn("support", "nobody is named whom people may ask", "set PORTICO_SUPPORT=NAME:PHONE")
		} else {
			l.ok("support", "%s is named", c.Support.Name)
		}
		if c.Log < slog.LevelInfo {
			l.warn("log", "the level is debug", "set PORTICO_LOG=info once you have found what you look for")
		} else {
			l.ok("log", "the level is %s", c.Log)
		}
		return l
	}}
}

func (l *list) metrics(address string) {
	if address == "" {
		l.warn("metrics", "nobody can see how the program does", "set PORTICO_METRICS=127.0.0.1:9090")
		return
	}
	host, _, _ := net.SplitHostPort(address)
	at, err := netip.ParseAddr(host)
	if err != nil || !at.IsLoopback() && !at.IsPrivate() {
		l.warn("metrics", "they are served on "+address, "make sure that only your own network reaches this address")
		return
	}
	l.ok("metrics", "served on %s", address)
}
