import Foundation
import GRDB

extension SampleDatabase {
  /// A filter that SQL can answer: a condition on containers, which takes what belongs to each of them,
  /// becomes the UUIDs of those for which it holds. Every read and deletion of samples of any type goes
  /// through here; folds of quantities need not, since a quantity is no container.
  ///
  /// It reads every container of the types, with what belongs to it.
  /// - Parameter position: for a question about what was stored after a place in the change log; only that is
  ///   read then.
  func resolved(_ filter: SampleFilter, after position: Int64 = 0, in database: Database) throws
    -> SampleFilter
  {
    switch filter {
    case .container(let types, let condition):
      .uuids(try containers(of: types, condition, after: position, in: database))
    case .all(let parts): .all(try parts.map { try resolved($0, after: position, in: database) })
    case .any(let parts): .any(try parts.map { try resolved($0, after: position, in: database) })
    case .not(let part): .not(try resolved(part, after: position, in: database))
    default: filter
    }
  }

  private func containers(
    of types: Set<String>, _ condition: EncodedCondition, after position: Int64, in database: Database
  ) throws -> Set<UUID> {
    var found: Set<UUID> = []
    let visible = try Visibility.of(admission, in: database)
    let ofTypes = SampleFilter.any(types.map { .type($0) })
    let candidates = position > 0 ? .all([.storedAfter(position), ofTypes]) : ofTypes
    try forEach(candidates, among: visible, [], nil, in: database) { record in
      let holds =
        switch record.content {
        case .archive(let archive): interpretation.archiveSatisfies(Data(archive), condition)
        case .container(let archive, let quantities):
          interpretation.containerSatisfies(Data(archive), quantities, condition)
        default: false
        }
      if holds { found.insert(record.uuid) }
    }
    return found
  }
}
