import HealthStorage

/// Which source is believed where several measured the same.
///
/// First those that the user put in order for the type, then, as Apple's default has it, Apple's devices,
/// then the others; of two that are alike the one that the store met later comes first. What the user entered
/// by hand counts more than any of them (see `SourceMerge`).
struct SourceOrder: Sendable {
  /// The sources of `init`, by their places there; the first counts most.
  let places: [Int]

  /// - Parameters:
  ///   - sources: in the order in which the store met them.
  ///   - chosen: places in `sources`, as the user ordered them; they need not be all.
  init(_ sources: [SourceRecord], chosen: [Int]) {
    let isChosen = Set(chosen)
    let others = sources.indices.reversed().filter { !isChosen.contains($0) }
    places =
      chosen + others.filter { Self.isApples(sources[$0]) } + others.filter { !Self.isApples(sources[$0]) }
  }

  /// An iPhone or a watch is `com.apple.health.` and a UUID, the Health application `com.apple.Health`.
  private static func isApples(_ source: SourceRecord) -> Bool {
    source.bundleIdentifier.lowercased().hasPrefix("com.apple.health")
  }
}
