import HealthDataSync

extension SampleLine {
  /// A line for a person.
  var text: String {
    let what =
      if let beats {
        "\(Counted.text(beats.count, "beat")) in \(beats.last?.offset ?? 0) s"
      } else {
        "\(value ?? 0) \(unit ?? "")"
      }
    return "\(start)  \(type)  \(what)  \(source.name.plain)"
  }
}
