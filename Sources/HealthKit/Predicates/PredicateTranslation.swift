import Foundation
import HealthStorage

/// A predicate translated for the store. Unlike `NSPredicate`, it is Sendable.
enum PredicateTranslation: Hashable, Sendable {
  case filter(SampleFilter)
  /// The predicate is not one of HealthKit's; for example, it has a block. The value is the reason.
  case unsupported(String)

  init(_ predicate: NSPredicate) {
    do {
      let filter = try predicate.translated(
        constant: { $0 ? .everything : .nothing }, own: { ($0 as? FilterPredicate)?.filter },
        all: SampleFilter.joining(all:), any: SampleFilter.joining(any:), not: \.opposite)
      self =
        filter.depth <= Self.deepest
        ? .filter(filter)
        : .unsupported("AND and OR take turns in a predicate more than \(Self.deepest) deep")
    } catch {
      self = .unsupported(error.reason)
    }
  }

  /// Maximum number of times that AND and OR may alternate in nested conditions. SQLite's parser stack has
  /// 100 entries, and the rest of the query needs some of them.
  private static let deepest = 16

  /// The filter for the store.
  /// - Throws: errorInvalidArgument if the predicate is not supported.
  var filter: SampleFilter {
    get throws(HKError) {
      switch self {
      case .filter(let filter): return filter
      case .unsupported(let reason): throw HKError(.errorInvalidArgument, reason: reason)
      }
    }
  }

  /// A predicate that is equivalent to the original, or nil if the original is not supported.
  var predicate: NSPredicate? {
    guard case .filter(let filter) = self else { return nil }
    return FilterPredicate(filter)
  }
}

extension NSPredicate {
  /// Translates a predicate that consists of HealthKit's predicates, constants and compounds.
  /// - Throws: errorInvalidArgument for any other predicate, such as a block, and for excessive nesting.
  func translated<Result>(
    depth: Int = 0, constant: (Bool) -> Result, own: (NSPredicate) -> Result?, all: ([Result]) -> Result,
    any: ([Result]) -> Result, not: (Result) -> Result
  ) throws(HKError) -> Result {
    if let result = own(self) { return result }
    if let refused = self as? RefusedPredicate { throw refused.error }
    guard let compound = self as? NSCompoundPredicate else {
      if self == NSPredicate(value: true) { return constant(true) }
      if self == NSPredicate(value: false) { return constant(false) }
      throw HKError(
        .errorInvalidArgument,
        reason:
          "only predicates made by HKQuery or with a format, and compounds of them, can be used in a query")
    }
    guard depth < Self.deepest else {
      throw HKError(
        .errorInvalidArgument, reason: "predicates are nested more than \(Self.deepest) deep")
    }
    var parts: [Result] = []
    for part in compound.subpredicates {
      parts.append(
        try part.translated(
          depth: depth + 1, constant: constant, own: own, all: all, any: any, not: not))
    }
    switch compound.compoundPredicateType {
    case .and: return all(parts)
    case .or: return any(parts)
    case .not: return not(all(parts))
    @unknown default:
      throw HKError(.errorInvalidArgument, reason: "unknown kind of compound predicate")
    }
  }

  /// Maximum nesting of predicates. Deeper recursion could overflow the stack.
  private static var deepest: Int { 100 }
}

// Combine filters with as little nesting as possible, because SQLite's parser stack is limited. A program
// that adds one condition after another builds a deeply nested predicate, but its filter is flat.

extension SampleFilter {
  static func joining(all parts: [SampleFilter]) -> SampleFilter {
    let parts = parts.flatMap { part in if case .all(let inner) = part { inner } else { [part] } }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  static func joining(any parts: [SampleFilter]) -> SampleFilter {
    let parts = parts.flatMap { part in if case .any(let inner) = part { inner } else { [part] } }
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  /// The negation of the filter. NOT is applied to single conditions, and AND and OR are exchanged.
  var opposite: SampleFilter {
    switch self {
    case .everything: .nothing
    case .nothing: .everything
    case .not(let part): part
    case .all(let parts): .joining(any: parts.map(\.opposite))
    case .any(let parts): .joining(all: parts.map(\.opposite))
    default: .not(self)
    }
  }

  /// The nesting depth of the filter.
  var depth: Int {
    switch self {
    case .all(let parts), .any(let parts): 1 + (parts.map(\.depth).max() ?? 0)
    case .not(let part), .holding(let part): 1 + part.depth
    default: 0
    }
  }
}
