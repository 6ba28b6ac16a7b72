// Package activate decides, without a language model, which capability a user's
// message asks for: one to activate, a few to suggest, or none.
package activate
