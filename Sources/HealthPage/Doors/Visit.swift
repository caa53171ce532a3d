/// What a request says of itself, as far as it decides who may come in.
struct Visit: Sendable, Hashable {
  enum Method: Sendable, Hashable {
    case read
    case change
    case other
  }

  var method: Method
  /// As the request says it; `nil` where it does not, or says it more than once.
  var host: String?
  /// `Origin`.
  var origin: String?
  /// `Sec-Fetch-Site`.
  var fetchSite: String?
  var mediaType: String?
  /// What the cookie of this server holds.
  var key: String?
  /// What the page's scripts show when they change something.
  var changeKey: String?

  init(method: Method = .read, host: String? = nil) { (self.method, self.host) = (method, host) }
}
