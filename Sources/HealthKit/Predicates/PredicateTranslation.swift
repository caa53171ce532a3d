import Foundation
import HealthStorage

/// A predicate as the store understands it. Unlike the `NSPredicate` that it was made from, it may cross
/// threads.
enum PredicateTranslation: Hashable, Sendable {
  case filter(SampleFilter)
  /// A predicate that is none of HealthKit's own for samples, for instance a block.
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

  /// SQLite's parser keeps 100 words of what is not complete, and a question has words around the predicate.
  private static let deepest = 16

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
}
