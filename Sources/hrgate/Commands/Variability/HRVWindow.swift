import ArgumentParser

/// A window's length on the command line: a span, or `all`.
enum HRVWindow: ExpressibleByArgument {
  case span(SpanArgument)
  /// One window over each uninterrupted stretch together.
  case all

  static let fiveMinutes = HRVWindow.span(SpanArgument(count: 5, unit: .minute))

  init?(argument: String) {
    if argument == "all" {
      self = .all
    } else if let span = SpanArgument(argument: argument), (10...86_400).contains(span.seconds) {
      self = .span(span)
    } else {
      return nil
    }
  }

  var defaultValueDescription: String { "5m" }
}
