package cli

import (
	"os"
	"path/filepath"

	"omc-hook/internal/permit"
)

// shadowOf is the omc-hook that a shell finds before the plugin's own, "" for
// none: the plugin's bin directory is last on PATH, so an older binary of the
// same name would be run in its place.
func shadowOf(env Env, launcher string) string {
	if launcher == "" {
		launcher = env.Getenv("OMC_HOOK_LAUNCHER")
	}
	own, err := os.Stat(launcher)
	if launcher == "" || err != nil {
		return ""
	}
	for _, dir := range filepath.SplitList(env.Getenv("PATH")) {
		path := filepath.Join(dir, permit.Program)
		info, err := os.Stat(path)
		if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			continue
		}
		if os.SameFile(info, own) {
			return ""
		}
		return path
	}
	return ""
}
