import Foundation
import GRDB

extension SampleDatabase {
  /// Replaces conditions on containers, which depend on their members, by the UUIDs of the containers that
  /// satisfy them, so that SQL can evaluate the filter. Required for every read and deletion of samples of
  /// any type. Folds of quantities do not need it, because a quantity is not a container.
  ///
  /// Reads all containers of the types with their members.
  /// - Parameter position: if not 0, only containers stored after this position in the change log are read.
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
