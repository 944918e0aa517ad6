package blob

import (
	"regexp"
	"strings"
	"testing"
)

func TestRef(t *testing.T) {
	t.Parallel()
	// The vectors of FIPS 180-2.
	for data, want := range map[string]string{
		"":    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"abc": "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	} {
		if got := Ref([]byte(data)); got != want {
			t.Errorf("Ref(%q) = %s, want %s", data, got, want)
		}
	}
}

func TestCheckRef(t *testing.T) {
	t.Parallel()
	digits := strings.Repeat("0123456789abcdef", 4)
	tests := []struct{ name, ref, want string }{
		{"valid", "sha256:" + digits, ""},
		{"empty", "", `does not begin with "sha256:"`},
		{"no scheme", digits, `does not begin with "sha256:"`},
		{"another scheme", "sha512:" + digits, `does not begin with "sha256:"`},
		{"no digits", "sha256:", "has 0 digits"},
		{"too short", "sha256:" + digits[1:], "has 63 digits"},
		{"too long", "sha256:" + digits + "0", "has 65 digits"},
		{"capitals", "sha256:" + strings.ToUpper(digits), "lower-case"},
		{"a way out", "sha256:../../../" + digits[9:], "hexadecimal digits"},
		{"a line's end", "sha256:" + digits + "\n", "hexadecimal digits"},
		{"a null", "sha256:" + digits[1:] + "\x00", "hexadecimal digits"},
		{"not ASCII", "sha256:" + digits[2:] + "é", "hexadecimal digits"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := CheckRef(test.ref)
			switch {
			case test.want == "" && err != nil:
				t.Errorf("CheckRef(%q) = %v, want nil", test.ref, err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("CheckRef(%q) = %v, want %q in it", test.ref, err, test.want)
			}
		})
	}
	if text := CheckRef(strings.Repeat("x", 1<<20)).Error(); len(text) > 300 {
		t.Errorf("an error has %d bytes", len(text))
	}
}

func FuzzCheckRef(f *testing.F) {
	f.Add(Ref(nil))
	f.Add("sha256:" + strings.Repeat("A", 64))
	f.Add("sha256:../../etc/passwd")
	f.Add("")
	valid := regexp.MustCompile(`\Asha256:[0-9a-f]{64}\z`)
	f.Fuzz(func(t *testing.T, ref string) {
		if got, want := CheckRef(ref) == nil, valid.MatchString(ref); got != want {
			t.Errorf("CheckRef(%q) takes it: %v, want %v", ref, got, want)
		}
	})
}
