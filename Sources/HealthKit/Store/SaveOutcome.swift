/// What became of a batch that was saved. The three counts add up to the batch.
package struct SaveOutcome: Hashable, Sendable {
  /// Stored as new objects.
  package let stored: Int
  /// Stored in place of an object with the same sync identifier and a lower version.
  package let replaced: Int
  /// Not stored: an object with the same sync identifier and this or a greater version is there.
  package let ignored: Int
}

/// Nothing was saved, because objects with these UUIDs are stored already or occur twice in the batch.
package struct DuplicateObjects: Error, Hashable, Sendable {
  package let uuids: [UUID]

  package init(uuids: [UUID]) {
    self.uuids = uuids
  }
}
