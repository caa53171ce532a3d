/// The header fields of a request that decide about access.
struct RequestHead: Sendable, Hashable {
  enum Method: Sendable, Hashable {
    case read
    case change
    case other
  }

  var method: Method
  /// `Host`; `nil` if it is absent or repeated.
  var host: String?
  /// `Origin`.
  var origin: String?
  /// `Sec-Fetch-Site`.
  var fetchSite: String?
  var mediaType: String?
  /// Whether the body of the request is a file.
  var isUpload = false
  /// The values of all cookies with this server's name. A server on another port can set one beside ours,
  /// because browsers share cookies between ports.
  var keys: [String] = []
  /// The key that the page's scripts send with a change.
  var changeKey: String?

  init(method: Method = .read, host: String? = nil) { (self.method, self.host) = (method, host) }
}
