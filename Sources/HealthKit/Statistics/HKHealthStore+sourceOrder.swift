package import HealthStorage

extension SourceOrderRecord {
  /// The sources, the one that counts most first, and whether the user chose its place. See `SourceOrder`.
  package var places: [(source: HKSource, isChosen: Bool)] {
    let byChoice = Set(chosen)
    return SourceOrder(sources, chosen: chosen).places.map { (HKSource(sources[$0]), byChoice.contains($0)) }
  }
}
