/// Decides from the header fields of a request whether it may access the server.
///
/// Listening on loopback is not enough, because any website can make the browser send requests to loopback.
/// Such a website cannot send our `Host` or our cookie, and cannot read the key that requests for changes
/// contain.
struct OriginPolicy: Sendable {
  /// The accepted values of `Host`. They are compared exactly, so another name that resolves to this machine
  /// (DNS rebinding) is rejected.
  let hosts: Set<String>

  /// Creates the policy for a server on loopback.
  /// - Parameter port: The port on loopback.
  init(port: Int) {
    let names = ["127.0.0.1", "[::1]", "localhost"]
    // A browser omits the default port.
    hosts = Set(names.map { "\($0):\(port)" } + (port == 80 ? names : []))
  }

  init(hosts: Set<String>) { self.hosts = hosts }

  /// Checks `Host`, `Origin` and `Sec-Fetch-Site`. This is the first check of a request. `Origin` and
  /// `Sec-Fetch-Site` may be absent.
  /// - Throws: ``PageError`` if the request is for another host or comes from another site.
  func admit(_ requestHead: RequestHead) throws(PageError) {
    guard let host = requestHead.host?.lowercased(), hosts.contains(host) else { throw .foreignHost }
    if let origin = requestHead.origin, origin.lowercased() != "http://\(host)" { throw .foreignSite }
    if let site = requestHead.fetchSite, site != "same-origin", site != "none" { throw .foreignSite }
  }

  /// Checks that a request for a change has the media type JSON and contains the session's change key.
  /// - Throws: ``PageError`` if it does not.
  func admitChange(_ requestHead: RequestHead, in session: PageSessions.Session) throws(PageError) {
    // An HTML form cannot send this media type. For a script of another site, the browser first sends a
    // preflight request, which is rejected.
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
