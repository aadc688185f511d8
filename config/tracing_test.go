package config

import "testing"

func TestCollectorIsAnAddressWithoutSecrets(t *testing.T) {
	for value, ok := range map[string]bool{
		"": true, "http://127.0.0.1:4318": true, "https://collector.example.com/v1/traces": true,
		"127.0.0.1:4318": false, "grpc://127.0.0.1:4317": false, "http://": false,
		"http://user:password@127.0.0.1:4318": false, "http://127.0.0.1:4318?key=1": false,
	} {
		c, err := Read([]string{"PORTICO_OTLP=" + value})
		if (err == nil) != ok || ok && (c.Tracing.Collector == nil) != (value == "") {
			t.Errorf("%q: %v", value, err)
		}
	}
}

func TestShareOfTracesIsFromZeroToOne(t *testing.T) {
	for value, want := range map[string]float64{"": 0.1, "0": 0, "1": 1, "0.05": 0.05} {
		if c, err := Read([]string{"PORTICO_OTLP_SAMPLE=" + value}); err != nil || c.Tracing.Ratio != want {
			t.Errorf("%q: %v, %v", value, c.Tracing.Ratio, err)
		}
	}
	for _, value := range []string{"-0.1", "1.01", "NaN", "10%", "all"} {
		if _, err := Read([]string{"PORTICO_OTLP_SAMPLE=" + value}); err == nil {
			t.Errorf("%q is accepted", value)
		}
	}
}
