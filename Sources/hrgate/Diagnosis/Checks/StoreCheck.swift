/// Checks whether the store exists, is private, undamaged and of this version, and has disk space.
enum StoreCheck {
  private static let name = "store"
  private static let othersMayRead = 0o077
  private static let scarce: Int64 = 200 << 20
  private static let none: Int64 = 10 << 20

  static func findings(_ store: StoreFacts) -> [Finding] {
    (state(store) + encryption(store) + mode(store) + integrity(store) + room(store) + holders(store)).map {
      finding in
      var finding = finding
      finding.subject = store.person
      return finding
    }
  }

  private static func state(_ store: StoreFacts) -> [Finding] {
    switch store.state {
    case .absent:
      [
        Finding(
          name, .warn, "there is no store at \(store.path)",
          advice: "Pair a monitor, which creates it (hrgate pair), or name the store: --store PATH")
      ]
    case .unreadable(let why):
      [Finding(name, .fail, "\(store.path): \(why)", advice: "Restore a backup, or use another store.")]
    case .older(let schema):
      [
        Finding(
          name, .ok,
          "an older version wrote \(store.path) (schema \(schema)); it is migrated when it is opened"
        )
      ]
    case .newer(let schema):
      [
        Finding(
          name, .fail, "a newer version wrote \(store.path) (schema \(schema))",
          advice: "Install that version.")
      ]
    case .locked:
      [
        Finding(
          name, .warn,
          "\(store.path) is encrypted and locked"
            + (store.hasGateway ? "; the gateway keeps recording" : ""),
          advice: "Unlock it with: hrgate store unlock")
      ]
    case .current: [Finding(name, .ok, store.path)]
    }
  }

  private static func encryption(_ store: StoreFacts) -> [Finding] {
    let text =
      switch store.encryption {
      case nil: ""
      case .encrypted: "it is encrypted"
      case .plain(disk: true): "it is not encrypted, but its disk is"
      case .plain(disk: false): "neither it nor its disk is encrypted; `hrgate store encrypt` encrypts it"
      case .plain(disk: nil):
        "it is not encrypted, and hrgate cannot find out whether its disk is; `hrgate store encrypt` encrypts it"
      }
    return text.isEmpty ? [] : [Finding(name, .ok, text)]
  }

  private static func mode(_ store: StoreFacts) -> [Finding] {
    guard let mode = store.mode, mode & othersMayRead != 0 else { return [] }
    guard !store.isShielded else { return [] }
    return [
      Finding(
        name, .fail, "other users can read it (mode \(String(mode, radix: 8)))",
        advice: "Make it private: chmod 600 '\(store.path.replacing("'", with: #"'\''"#))'")
    ]
  }

  private static func integrity(_ store: StoreFacts) -> [Finding] {
    guard let problems = store.problems else { return [] }
    guard let first = problems.first else { return [Finding(name, .ok, "the file is not damaged")] }
    return [
      Finding(
        name, .fail,
        "the file is damaged: \(first)" + (problems.count > 1 ? " (and \(problems.count - 1) more)" : ""),
        advice: "Stop the gateway, keep a copy of the file, and restore a backup.")
    ]
  }

  /// Lists the processes that have the store open. They may keep it locked, and must end before the file is
  /// moved.
  private static func holders(_ store: StoreFacts) -> [Finding] {
    guard let holders = store.holders else { return [] }
    let names = holders.map { holder in
      let role = holder.process == store.gateway && store.hasGateway ? ", the gateway" : ""
      return "\(holder.program ?? "a program") (process \(holder.process)\(role))"
    }
    if !names.isEmpty { return [Finding(name, .ok, "open in " + names.joined(separator: " and "))] }
    if store.hasGateway || store.isOpenElsewhere == true {
      return [Finding(name, .ok, "open in a program that is not visible from here")]
    }
    return store.isOpenElsewhere == nil ? [] : [Finding(name, .ok, "no program has it open")]
  }

  private static func room(_ store: StoreFacts) -> [Finding] {
    guard let room = store.room else { return [] }
    let text = "\(room >> 20) MiB are free on its disk"
    guard room < scarce else { return [Finding(name, .ok, text)] }
    return [
      Finding(
        name, room < none ? .fail : .warn, text, advice: "Free disk space; without it nothing is stored.")
    ]
  }
}
