/// How a unit stands, as its manager tells.
public struct ServiceCondition: Hashable, Sendable {
  public var unit: String
  /// The file that describes it; `nil` where there is none.
  public var file: String?
  /// `enabled`, `disabled` …
  public var enablement: String
  /// `active`, `inactive`, `failed` …; ``notRunning`` in an image.
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

  /// - Parameter file: Where the unit is described; `nil` where it is not.
  init(unit: String, inImageWith file: String?, isEnabled: Bool) {
    self.unit = unit
    self.file = file
    enablement = isEnabled ? "enabled" : file == nil ? "not installed" : "disabled"
    state = Self.notRunning
  }

  /// How each unit of a machine stands that does not run.
  public static let notRunning = "not running"

  public var isEnabled: Bool { enablement.hasPrefix("enabled") }
}

extension ServiceControl {
  /// How the service stands: by its manager's word, or in an image, where systemctl(1) shows nothing, by the
  /// files.
  ///
  /// - Throws: ``ServiceRefusal`` where no manager answers.
  public func condition() throws -> ServiceCondition {
    guard image == nil else {
      return ServiceCondition(unit: scope.unit, inImageWith: unitFile, isEnabled: isLinked)
    }
    try requireManager()
    let properties = "FragmentPath,UnitFileState,ActiveState,MainPID,StatusText"
    let outcome = try SystemProgram.run(systemctl(["show", "--property=\(properties)", scope.unit]))
    guard outcome.status == 0 else { throw ServiceRefusal("systemctl: \(outcome.complaint)") }
    return ServiceCondition(unit: scope.unit, properties: outcome.output)
  }
}
