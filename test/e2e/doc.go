// Package e2e runs ctx as it is installed, on the real Claude Code and Codex,
// with a scripted stand-in for the model. What a host told its model is then a
// fact in a request. Set CTX_REALHOSTS to a folder that clients.sh filled;
// without it the tests that need the clients are skipped.
package e2e
