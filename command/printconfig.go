package command

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"portico/config"
)

func runConfig(_ context.Context, c config.Config, out io.Writer, args []string) error {
	switch {
	case len(args) == 0:
		return errors.Join(config.PrintInForce(out, c.InForce), errors.Join(c.Wrong...))
	case slices.Equal(args, []string{asJSON}):
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return errors.Join(encoder.Encode(c.InForce), errors.Join(c.Wrong...))
	}
	return errors.New("config: it takes no words; see portico config -h")
}
