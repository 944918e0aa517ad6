package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/quarry-sdk/quarry"
)

// What the town has on its bridge.
const archive = "1871 built of oak. 1934 new deck of steel. 1998 new bearings, after the flood."

var sensors = map[string]string{
	"bearings": "moved 4 mm in a year; up to 10 mm is usual",
	"deck":     "no cracks; rust on 3 percent of it",
}

// ledger is pages of what was spent, by the mark that leads to each. A page has the
// mark of the next one, so that they are read one after the other.
var ledger = map[string]struct{ text, next string }{
	"":     {"2019: 1200 for paint.", "f3a9"},
	"f3a9": {"2020: 800 for gravel.", "0c51"},
	"0c51": {"2021: 3100 for bolts.", "77be"},
	"77be": {"2022: nothing.", "e201"},
	"e201": {"2023: 450 for paint.", ""},
}

type (
	sensorIn struct {
		Sensor string `json:"sensor" jsonschema:"bearings or deck"`
	}
	ledgerIn struct {
		Mark string `json:"mark,omitempty" jsonschema:"where to read on; leave it out for the first page"`
	}
)

func tools() []*quarry.Tool {
	return []*quarry.Tool{
		quarry.NewTool(quarry.ToolSpec{
			Name: "read_archive", Description: "Returns what the archive says of the bridge.", Effect: quarry.ReadOnly,
		}, func(context.Context, struct{}) (string, error) { return archive, nil }),
		quarry.NewTool(quarry.ToolSpec{
			Name: "read_sensor", Description: "Returns what a sensor of the bridge measures.", Effect: quarry.ReadOnly,
		}, func(_ context.Context, in sensorIn) (string, error) {
			if text, ok := sensors[in.Sensor]; ok {
				return text, nil
			}
			return "", fmt.Errorf("there is no sensor %q; there are bearings and deck", in.Sensor)
		}),
		quarry.NewTool(quarry.ToolSpec{
			Name: "read_ledger", Description: "Returns a page of the ledger, and the mark that leads to the next one.", Effect: quarry.ReadOnly,
		}, func(_ context.Context, in ledgerIn) (string, error) {
			page, ok := ledger[in.Mark]
			switch {
			case !ok:
				return "", errors.New("there is no page of this mark; give the one that the page before ends with")
			case page.next == "":
				return page.text + " This is the last page.", nil
			}
			return page.text + " The next page: " + page.next, nil
		}),
	}
}
