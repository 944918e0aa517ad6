package files

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/quarry-sdk/quarry"
)

// hashOf is what stands for a file's content.
func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// version is what the outputs of read_file, write_file and edit_file have in
// common: which content of which file the model knows.
type version struct {
	Path string `json:"path"`
	// Bytes is the length of the whole file.
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// lastSeen is the hash of the content in which the session last read or wrote a
// file, "" where it never did. It is known from the journal.
func lastSeen(call *quarry.Call, path string) string {
	if call == nil {
		return ""
	}
	for _, r := range slices.Backward(call.Earlier()) {
		if r.IsError || r.Output == nil || (r.Name != ReadName && r.Name != WriteName && r.Name != EditName) {
			continue
		}
		var v version
		if json.Unmarshal(r.Output, &v) == nil && v.Path == path {
			return v.SHA256
		}
	}
	return ""
}

// mayChange refuses to change a file that the session has not read as it is now.
func mayChange(call *quarry.Call, path, hash string) error {
	switch lastSeen(call, path) {
	case hash:
		return nil
	case "":
		return fmt.Errorf("%q exists, and you have not read it in this session; read it with %s first, and change it in your next response. To keep it as it is, use another path", path, ReadName)
	}
	return fmt.Errorf("%q is not as you last saw it: another call of this response or another program has changed it. Read it again with %s, and change it in your next response", path, ReadName)
}

// noteRead tells the journal which content of a file the session knows.
func noteRead(call *quarry.Call, v *version) {
	if call != nil {
		call.Read(v.Path, v.SHA256)
	}
}
