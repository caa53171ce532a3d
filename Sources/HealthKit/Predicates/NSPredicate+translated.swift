import Foundation

extension NSPredicate {
  /// Walks a predicate made of own ones, constants and compounds.
  /// - Throws: errorInvalidArgument for anything else, for instance a block, and for compounds too deep to be
  ///   meant.
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

  /// No recursion, here or later, is to end the process.
  private static var deepest: Int { 100 }
}
