package activate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ctx-sidecar/ctx/core/embed"
)

// Source is where a router's model comes from.
type Source struct {
	Env       []string // CTX_ORT_LIB is read of it
	Model     string   // the setting embed.model
	Library   string   // the setting embed.ort_library
	Share     []string // folders with what was installed, nearest first
	Workspace string   // of the session, "" for none: nothing is loaded because it lies there
	CacheDir  string   // for vectors of candidates; "" keeps them in memory
	Threads   int      // that one prompt may keep busy; less than 1 is 1

	// Hash is that of [embed.LibrarySource].
	Hash func(path string, f *os.File) (string, error)

	// Meanwhile is what is done with the router while its model is being loaded,
	// which takes the longest; nil: nothing is.
	Meanwhile func(*Router)
}

// Load makes the router of the best model there is. Without one it routes by
// words alone; degraded then says why. A router is returned in any case.
func Load(s Source) (r *Router, degraded error) {
	r, err := load(s)
	if r != nil {
		return r, err
	}
	lexical, _ := New(Lexical(), nil, "") // without a cache nothing can fail
	return lexical, err
}

func load(s Source) (*Router, error) {
	if err := embed.Supported(); err != nil {
		return nil, err
	}
	share := embed.Trusted(s.Share, s.Workspace)
	bundle, err := embed.FindBundle(s.Model, share)
	if err != nil {
		return nil, err
	}
	scorer, err := ReadScorer(filepath.Join(bundle.Dir, ScorerFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the model %s has no %s: prompts cannot be routed with it", bundle.Name, ScorerFile)
	}
	if err != nil {
		return nil, embed.Broken(err)
	}
	if scorer.Model != bundle.Name {
		return nil, embed.Broken(fmt.Errorf("%s is made for the model %q, not for %q", filepath.Join(bundle.Dir, ScorerFile), scorer.Model, bundle.Name))
	}
	if scorer.Joint != nil && bundle.Joint == "" { // its thresholds are made for both
		return nil, embed.Broken(fmt.Errorf("%s asks for a joint network, which the model %s has not", filepath.Join(bundle.Dir, ScorerFile), bundle.Name))
	}
	model := open(bundle, embed.LibrarySource{
		Env: s.Env, Configured: s.Library, Share: share, Workspace: s.Workspace, Hash: s.Hash,
	}, s.Threads)
	r, err := New(scorer, model, s.CacheDir)
	if s.Meanwhile != nil {
		s.Meanwhile(r)
	}
	<-model.done
	if model.err != nil {
		return nil, model.err
	}
	r.close = model.model.Close
	return r, err
}

// Close frees the model's memory.
func (r *Router) Close() error {
	if r.close == nil {
		return nil
	}
	return r.close()
}
