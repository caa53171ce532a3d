/// Decides who may come in, by what a request says of itself.
///
/// Loopback is no boundary: a page of any site can have the browser ask here. What a foreign page cannot do
/// is name this host, have the cookie sent along, or read the key that changes need.
struct Door: Sendable {
  /// What `Host` may say, exactly. A name of somebody else's that is led to this machine (DNS rebinding) is
  /// none of them.
  let hosts: Set<String>

  /// - Parameter port: Of loopback.
  init(port: Int) {
    let names = ["127.0.0.1", "[::1]", "localhost"]
    // A browser leaves out the port that is usual.
    hosts = Set(names.map { "\($0):\(port)" } + (port == 80 ? names : []))
  }

  init(hosts: Set<String>) { self.hosts = hosts }

  /// Whether a request is for this server, and of it or of nobody: asked before anything else.
  /// - Throws: ``PageFault``.
  func admit(_ visit: Visit) throws(PageFault) {
    guard let host = visit.host?.lowercased(), hosts.contains(host) else { throw .foreignHost }
    if let origin = visit.origin, origin.lowercased() != "http://\(host)" { throw .foreignSite }
    if let site = visit.fetchSite, site != "same-origin", site != "none" { throw .foreignSite }
  }

  /// Whether a request that changes something may do so in a session.
  /// - Throws: ``PageFault``.
  func admitChange(_ visit: Visit, in session: PageSessions.Session) throws(PageFault) {
    // A form cannot send this type, so a browser asks first whether a foreign page may.
    guard let type = visit.mediaType?.split(separator: ";").first,
      type.trimmingSpaces.lowercased() == "application/json"
    else { throw .mediaType }
    guard let key = visit.changeKey, session.changeKey.matches(key) else { throw .changeKey }
  }
}

extension Substring {
  fileprivate var trimmingSpaces: Substring {
    let start = drop { $0 == " " }
    return start.dropLast(start.reversed().prefix { $0 == " " }.count)
  }
}
