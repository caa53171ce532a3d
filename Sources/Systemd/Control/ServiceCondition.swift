/// How a unit stands, as its manager tells.
public struct ServiceCondition: Hashable, Sendable {
  public var unit: String
  /// The file that describes it; `nil` where there is none.
  public var file: String?
  /// `enabled`, `disabled` …
  public var enablement: String
  /// `active`, `inactive`, `failed` …
  public var state: String
  public var process: Int32?
  /// What the service says of itself.
  public var status: String?

  /// - Parameter properties: Lines of `systemctl show`.
  init(unit: String, properties: String) {
    var values: [Substring: String] = [:]
    for line in properties.split(separator: "\n") {
      guard let sign = line.firstIndex(of: "=") else { continue }
      let value = line[line.index(after: sign)...]
      if !value.isEmpty { values[line[..<sign]] = String(value) }
    }
    self.unit = unit
    file = values["FragmentPath"]
    enablement = values["UnitFileState"] ?? "not installed"
    state = values["ActiveState"] ?? "unknown"
    process = values["MainPID"].flatMap { Int32($0) }.flatMap { $0 > 0 ? $0 : nil }
    status = values["StatusText"]
  }

  public var isEnabled: Bool { enablement.hasPrefix("enabled") }
}

extension ServiceControl {
  /// Asks the manager how the service stands.
  ///
  /// - Throws: ``ServiceRefusal`` where none answers.
  public func condition() throws -> ServiceCondition {
    try requireManager()
    let properties = "FragmentPath,UnitFileState,ActiveState,MainPID,StatusText"
    let outcome = try SystemProgram.run(systemctl(["show", "--property=\(properties)", scope.unit]))
    guard outcome.status == 0 else { throw ServiceRefusal("systemctl: \(outcome.complaint)") }
    return ServiceCondition(unit: scope.unit, properties: outcome.output)
  }
}
