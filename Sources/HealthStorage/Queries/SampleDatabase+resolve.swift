import Foundation
import GRDB

extension SampleDatabase {
  /// Replaces conditions that SQL cannot evaluate: each condition on containers that depends on the samples
  /// in them, such as on the statistics of a workout, by the UUIDs of the matching containers. Call it before
  /// each read or deletion of samples, except for quantities.
  ///
  /// It reads all containers of the types in the filter, with the samples in them.
  /// - Parameter position: Only containers that were stored after this change log position are read; 0 for
  ///   all.
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
