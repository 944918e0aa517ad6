package render

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
)

// ErrNoBrowser is returned by [New] where no Chromium is found.
var ErrNoBrowser = errors.New("no Chromium is installed (install Chromium or Chrome, on Debian by apt-get install chromium, or name its program in Config.Browser)")

// Find returns the path of a Chromium or Chrome: $CHROME_BIN, or one of the usual
// names on the path, or where installers put it.
func Find() (string, error) {
	if path := os.Getenv("CHROME_BIN"); path != "" {
		if found, err := exec.LookPath(path); err == nil {
			return found, nil
		}
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome", "headless-shell", "chrome-headless-shell", "microsoft-edge"} {
		if found, err := exec.LookPath(name); err == nil {
			return found, nil
		}
	}
	var places []string
	switch runtime.GOOS {
	case "darwin":
		places = []string{"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium"}
	case "windows":
		places = []string{`C:\Program Files\Google\Chrome\Application\chrome.exe`, `C:\Program Files (x86)\Google\Chrome\Application\chrome.exe`, `C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`}
	}
	for _, place := range places {
		if found, err := exec.LookPath(place); err == nil {
			return found, nil
		}
	}
	return "", ErrNoBrowser
}
