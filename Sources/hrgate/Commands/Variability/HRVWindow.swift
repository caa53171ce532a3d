import ArgumentParser

/// The window length argument: a span, or `all`.
enum HRVWindow: CheckedArgument {
  case span(SpanArgument)
  /// One window that covers all uninterrupted stretches.
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

  static func rule(for argument: String) -> String {
    "a window must be 10s to 1d long, such as 5m, or all"
  }
}

extension HRVWindow: CustomStringConvertible {
  var description: String {
    switch self {
    case .span(let span): span.description
    case .all: "all"
    }
  }
}
