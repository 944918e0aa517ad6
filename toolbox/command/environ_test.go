package command

import (
	"slices"
	"strings"
	"testing"
)

// looksLikeKey is put together here, so that nobody takes it for one.
var looksLikeKey = "sk-" + "ant-" + strings.Repeat("abcdefghij", 3)

func TestEnvironment(t *testing.T) {
	t.Parallel()
	all := []string{
		"PATH=/bin", "HOME=/home/a", "LC_TIME=C", "LANG=" + looksLikeKey, "TERM=hunter2hunter2", "TZ=UTC", "LC_KEY=x", "SHELL=/bin/hunter2hunter2/sh",
		"ANTHROPIC_API_KEY=x", "GITHUB_TOKEN=y", "DB_PASSWORD=hunter2hunter2", "PGPASSWORD=/bin", "EDITOR=vi", "LD_PRELOAD=x", "SSH_AUTH_SOCK=/s", "BASH_ENV=x", "USER=",
	}
	// TERM is dropped because it has the value of a secret; PATH is not, for the
	// value of PGPASSWORD is too short to tell.
	want := []string{"EXTRA=1", "HOME=/home/b", "LC_TIME=C", "PATH=/bin", "TZ=UTC", "USER="}
	if got := environment(all, map[string]string{"EXTRA": "1", "HOME": "/home/b"}, false); !slices.Equal(got, append(slices.Clone(want[:4]), "SHELL=/bin/hunter2hunter2/sh", "TZ=UTC", "USER=")) {
		t.Errorf("got %q", got)
	}
	got := environment([]string{"Path=C:\\x", "SystemRoot=C:\\Windows", "Secret=x", "USERNAME=a"}, map[string]string{"path": "C:\\y"}, true)
	if strings.Join(got, " ") != `PATH=C:\y SYSTEMROOT=C:\Windows USERNAME=a` {
		t.Errorf("got %q", got)
	}
}

func TestSecretNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"ANTHROPIC_API_KEY", "OPENAI_APIKEY", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "GH_PAT", "PGPASSWORD", "MYSQL_PWD", "DB_PASS", "SSH_AUTH_SOCK",
		"api-key", "Token", "CLIENT_SECRET", "MY_CREDENTIALS", "SESSION_COOKIE", "KEY", "KEY1", "ENCRYPTION_KEY_2", "SENTRY_DSN", "dbPassword", "stripeApiKey",
	} {
		if !secretName(name) {
			t.Errorf("%s is not known as a secret", name)
		}
	}
	for _, name := range []string{"PATH", "PWD", "OLDPWD", "HOME", "LANG", "MONKEY", "KEYBOARD", "AUTHOR", "TOKENIZERS_PARALLELISM", "GOPATH", "COMPASS", "TMPDIR", "PATTERN"} {
		if secretName(name) {
			t.Errorf("%s is taken for a secret", name)
		}
	}
}

func TestSecretValues(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		looksLikeKey, "ghp_" + strings.Repeat("a", 36), "github_pat_" + strings.Repeat("b", 40), "AKIA" + strings.Repeat("Q", 16), "xoxb-1234567890-abc",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "-----BEGIN OPENSSH PRIVATE KEY-----", "postgres://app:pw@db/x", "AIza" + strings.Repeat("c", 35),
	} {
		if !secretValue(value) {
			t.Errorf("%.20s… is not known as a secret", value)
		}
	}
	for _, value := range []string{"", "/usr/bin:/bin", "en_US.UTF-8", "https://example.org/a@b", "postgres://db:5432/x", "risk-averse-and-very-long-word"} {
		if secretValue(value) {
			t.Errorf("%q is taken for a secret", value)
		}
	}
}

func TestOutput(t *testing.T) {
	t.Parallel()
	const all = "abcdefghijklmnopqrstuvwxyz"
	for _, piece := range []int{1, 2, 3, 5, 7, 26} {
		for n := range len(all) + 1 {
			o := output{max: 10}
			for at := 0; at < n; at += piece {
				_, _ = o.Write([]byte(all[at:min(at+piece, n)]))
			}
			got := o.String()
			if n <= 10 && got != all[:n] || n > 10 && (!strings.HasPrefix(got, "abcde\n[… ") || !strings.HasSuffix(got, "…]\n"+all[n-5:n])) {
				t.Errorf("%d bytes in pieces of %d: %q", n, piece, got)
			}
			if o.bytes != int64(n) || n > 10 && o.left() != int64(n-10) {
				t.Errorf("%d bytes: %d in all, %d left out", n, o.bytes, o.left())
			}
		}
	}
	o := output{max: 100}
	_, _ = o.Write([]byte("a\xffb"))
	if o.String() != "a\ufffdb" {
		t.Errorf("got %q", o.String())
	}
}
