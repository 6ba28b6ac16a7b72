package listing

// ownFingerprint is one that no declaration of a server has.
const ownFingerprint = "ctx-gateway"

// Gateway returns what ctx-gateway listed for a host the last time that it was
// asked, for programs that want its price without being one.
func (c *Cache) Gateway(host string) (Listing, bool) { return c.Any(host, ownFingerprint) }

// PutGateway remembers what ctx-gateway lists for a host.
func (c *Cache) PutGateway(host string, l Listing) error {
	l.Server, l.Fingerprint = host, ownFingerprint
	return c.Put(l)
}
