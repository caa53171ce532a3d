import HealthKit
import HealthStorage

extension SystemStore {
  /// This store for readers that show what is readable. They report ``skippedBlocks``.
  package func skippingDamagedBlocks(_ isSkipping: Bool = true) throws -> SystemStore {
    try SystemStore(healthStore.skippingDamagedBlocks(isSkipping))
  }

  /// One sentence for each damaged block met so far: its type, its hour, and what to do.
  package var skippedBlocks: [String] {
    database.damagedBlocks.known.map { StorageFailure.damagedBlock($0).description }
  }
}
