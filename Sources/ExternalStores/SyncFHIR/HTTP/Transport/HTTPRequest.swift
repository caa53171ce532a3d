internal import Foundation

/// One request, as it goes to a server.
struct HTTPRequest: Sendable {
  var url: String
  /// Lines of the form `Name: value`.
  var fields: [String]
  /// Nil for a GET; what is to be POSTed otherwise.
  var body: Data?
}
