package config

import (
	"errors"
	"net/url"
	"strconv"
)

func readOTLP(c *Config, value string) error {
	if value == "" {
		return nil
	}
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil ||
		u.RawQuery != "" || hasUnescapedSign(value) {
		return errors.New("accepted is the address of a collector, like http://127.0.0.1:4318, without a name and " +
			"a password")
	}
	c.Tracing.Collector = u
	return nil
}

func readOTLPSample(c *Config, value string) error {
	ratio, err := strconv.ParseFloat(value, 64)
	if err != nil || !(ratio >= 0 && ratio <= 1) { // not a number is refused too
		return errors.New("accepted is a number from 0 to 1, like 0.1")
	}
	c.Tracing.Ratio = ratio
	return nil
}
