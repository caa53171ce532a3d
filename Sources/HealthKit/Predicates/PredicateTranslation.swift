import Foundation
import HealthStorage

/// A predicate as the store understands it. Unlike the `NSPredicate` that it was made from, it may cross threads.
enum PredicateTranslation: Hashable, Sendable {
  case filter(SampleFilter)
  /// A predicate that is none of HealthKit's own, for instance a block.
  case unsupported(String)

  init(_ predicate: NSPredicate) {
    switch predicate {
    case let predicate as FilterPredicate:
      self = .filter(predicate.filter)
    case let compound as NSCompoundPredicate:
      self = Self.translate(compound)
    case NSPredicate(value: true):
      self = .filter(.everything)
    case NSPredicate(value: false):
      self = .filter(.nothing)
    default:
      self = .unsupported("only predicates made by HKQuery, and compounds of them, can be used in a query")
    }
  }

  /// - Throws: errorInvalidArgument for a predicate that the store cannot answer.
  var filter: SampleFilter {
    get throws(HKError) {
      switch self {
      case .filter(let filter): return filter
      case .unsupported(let reason): throw HKError(.errorInvalidArgument, reason: reason)
      }
    }
  }

  /// An equivalent predicate; nil for one that was not understood.
  var predicate: NSPredicate? {
    guard case .filter(let filter) = self else { return nil }
    return FilterPredicate(filter)
  }

  private static func translate(_ compound: NSCompoundPredicate) -> PredicateTranslation {
    var parts: [SampleFilter] = []
    for part in compound.subpredicates {
      let translation = PredicateTranslation(part)
      guard case .filter(let filter) = translation else { return translation }
      parts.append(filter)
    }
    return switch compound.compoundPredicateType {
    case .and: .filter(.all(parts))
    case .or: .filter(.any(parts))
    case .not: .filter(.not(.all(parts)))
    @unknown default: .unsupported("unknown kind of compound predicate")
    }
  }
}
