internal import Foundation

/// What a server said, of its fields those that somebody asks for.
struct HTTPAnswer: Sendable {
  var status: Int
  var location: String?
  var retryAfter: String?
  /// What the server's clock says: Retry-After may be a time on it.
  var date: String?
  var body: Data
}
