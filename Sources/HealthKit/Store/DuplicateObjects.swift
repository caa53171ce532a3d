import Foundation

/// Nothing was saved, because objects with these UUIDs are stored already or occur twice in the batch.
package struct DuplicateObjects: Error, Hashable, Sendable {
  package let uuids: [UUID]

  package init(uuids: [UUID]) {
    self.uuids = uuids
  }
}
