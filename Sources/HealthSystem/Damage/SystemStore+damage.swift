import HealthKit
import HealthStorage

extension SystemStore {
  /// This store for readers that show what is readable. They report ``skippedBlocks``.
  package func skippingDamagedBlocks(_ isSkipping: Bool = true) throws -> SystemStore {
    try SystemStore(healthStore.skippingDamagedBlocks(isSkipping))
  }

  /// As ``skippedBlocks``, without blocks that were repaired or deleted meanwhile.
  package func recheckedBlocks() async throws -> [String] {
    try await HKError.translating {
      try await database.recheckedDamage().map { StorageFailure.damagedBlock($0).description }
    }
  }

  /// One sentence for each damaged block met so far: its type, its hour, and what to do.
  package var skippedBlocks: [String] {
    database.damagedBlocks.known.map { StorageFailure.damagedBlock($0).description }
  }
}
