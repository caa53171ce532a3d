/// Checks whether a request may access the server, by its header fields.
///
/// Loopback is no security boundary: a page of any site can make the browser send requests here. A foreign
/// page cannot send our `Host`, cannot send the cookie, and cannot read the key that changes need.
struct OriginPolicy: Sendable {
  /// Accepted values of `Host`. The comparison is exact, so a foreign name that resolves to this machine (DNS
  /// rebinding) is rejected.
  let hosts: Set<String>

  /// - Parameter port: The port on loopback.
  init(port: Int) {
    let names = ["127.0.0.1", "[::1]", "localhost"]
    // A browser omits the default port.
    hosts = Set(names.map { "\($0):\(port)" } + (port == 80 ? names : []))
  }

  init(hosts: Set<String>) { self.hosts = hosts }

  /// Checks `Host`, `Origin` and `Sec-Fetch-Site`, before anything else. `Origin` and `Sec-Fetch-Site` may be
  /// absent.
  /// - Throws: ``PageError`` if the request is for another host or comes from another site.
  func admit(_ requestHead: RequestHead) throws(PageError) {
    guard let host = requestHead.host?.lowercased(), hosts.contains(host) else { throw .foreignHost }
    if let origin = requestHead.origin, origin.lowercased() != "http://\(host)" { throw .foreignSite }
    if let site = requestHead.fetchSite, site != "same-origin", site != "none" { throw .foreignSite }
  }

  /// Checks that a change has the right media type and the session's change key.
  /// - Throws: ``PageError`` if it does not.
  func admitChange(_ requestHead: RequestHead, in session: PageSessions.Session) throws(PageError) {
    // An HTML form cannot send this type. For a script of another site the browser sends a preflight request
    // first, which is rejected.
    guard let type = requestHead.mediaType?.split(separator: ";").first,
      type.trimmingSpaces.lowercased()
        == (requestHead.isUpload ? "application/octet-stream" : "application/json")
    else { throw .mediaType }
    guard let key = requestHead.changeKey, session.changeKey.matches(key) else { throw .changeKey }
  }
}

extension Substring {
  fileprivate var trimmingSpaces: Substring {
    let start = drop { $0 == " " }
    return start.dropLast(start.reversed().prefix { $0 == " " }.count)
  }
}
