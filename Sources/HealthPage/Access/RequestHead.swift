/// The header fields of a request that decide whether it is allowed.
struct RequestHead: Sendable, Hashable {
  enum Method: Sendable, Hashable {
    case read
    case change
    case other
  }

  var method: Method
  /// The value of `Host`; `nil` if it is absent or repeated.
  var host: String?
  /// The value of `Origin`.
  var origin: String?
  /// The value of `Sec-Fetch-Site`.
  var fetchSite: String?
  var mediaType: String?
  /// Whether the body of the request is a file.
  var isUpload = false
  /// The values of all cookies with this server's cookie name. There may be several, because browsers share
  /// cookies between ports, so a server on another port can set one with the same name.
  var keys: [String] = []
  /// The change key that the page's scripts send with a request for a change.
  var changeKey: String?

  init(method: Method = .read, host: String? = nil) { (self.method, self.host) = (method, host) }
}
