import ArgumentParser
import Foundation
import Gateway
import HealthKit
import HealthPage
import HealthSystem

/// Serves the page. If the gateway already serves it, prints an address of the gateway's page instead.
struct PageServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve the web page with your health data until you press Ctrl-C.")

  @Option(
    help:
      "TCP port of the page on this machine, or 0 for any free port (default: \(PageServer.usualPort), or any free port if that is in use)."
  )
  var port: Int?
  @Flag(help: "Only print the address; do not open a browser.")
  var noOpen = false
  /// Not supported. The option exists so that its error can explain the SSH tunnel.
  @Option(help: ArgumentHelp("Not supported: the page is only on this machine.", visibility: .hidden))
  var host: String?
  @OptionGroup var store: StoreOptions

  func validate() throws {
    guard host == nil else {
      throw ValidationError(
        """
        The page is served only on this machine, because it has no TLS and no password. From another machine, open it through SSH: \
        run ssh -L 8099:127.0.0.1:8099 HOST there, and hrgate page --port 8099 here.
        """)
    }
    guard (0...65_535).contains(port ?? 0) else {
      throw ValidationError("--port must be from 0 to 65535.")
    }
  }

  func run() async throws {
    if port == nil, let address = try PageControl(socketsIn: PageSockets.folders).address(ofStore: store.file)
    {
      return try Self.announce(
        address, "the gateway serves the page; the address works once, within a minute", !noOpen)
    }
    let choice = try store.choice
    let statusStore = StatusStore()
    let page = PageServer(
      try StoreCache(choice, openStore(choice)), monitors: PageMonitors(statusStore),
      radio: PageRadio(choice, adapter: try Settings.current.adapter),
      version: HRGate.configuration.version, isGateways: false,
      afterUnlock: { _ = try await InboxMerge.run(ofStoreAt: $0) })
    let (port, opens) = (port.map(PageServer.Port.exactly) ?? .usual, !noOpen)
    do {
      try await untilInterrupted(Interruption()) {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
          tasks.addTask { await GatewayWatch(statusStore: statusStore).run() }
          tasks.addTask {
            try await page.run(port: port, socketsIn: PageSockets.folder) { try Self.announce($0, opens) }
          }
          // Stop watching the gateway when the page ends.
          _ = try await tasks.next()
          tasks.cancelAll()
        }
      }
    } catch is CancellationError {
      // Ctrl-C: stop without an error.
    } catch let failure as PageServerError {
      throw CommandError(failure.description)
    }
  }

  /// Opens the store; `nil` if it is locked. If the default store does not exist, it is created, and the page
  /// shows how to pair a monitor. If a named file does not exist, this is an error, because the name is
  /// probably mistyped.
  private func openStore(_ choice: StoreChoice) throws -> SystemStore? {
    if (try? StoreVault.status(choice.file))?.isLocked == true {
      StandardError.print("the store is locked; the page asks for its passphrase")
      return nil
    }
    if case .file = choice { return try store.openExistingSystem() }
    return FileManager.default.fileExists(atPath: choice.file)
      ? try store.openExistingSystem() : try store.openSystem()
  }

  static func announce(
    _ opening: PageServer.Opening, _ opens: Bool,
    notice: String = "the address works once, within a minute; Ctrl-C ends the page"
  ) throws {
    if let failure = opening.socketFailure {
      StandardError.print("hrgate page sessions cannot list the browsers of this page: \(failure)")
    }
    if opening.isElsewhere {
      StandardError.print(
        "port \(PageServer.usualPort) is in use, so the page is on port \(opening.port); browsers store page preferences, such as light or dark mode, for each port"
      )
    }
    try announce(opening.address, notice, opens)
  }

  private static func announce(_ address: String, _ notice: String, _ opens: Bool) throws {
    try StandardOutput.write(address)
    try StandardOutput.flush()
    StandardError.print(notice)
    if opens { BrowserLauncher.open(address) }
  }
}

extension StoreCache {
  /// The chosen store, and the stores of the user's people.
  /// - Throws: `ConfigurationError`.
  convenience init(_ choice: StoreChoice, _ system: SystemStore?) throws {
    // A store file that an option names belongs to no person.
    guard case .file(let path) = choice else {
      self.init(
        system, file: choice.file, person: choice.person,
        peopleStores: PeopleStores(owners: try StoreChoice.owners, people: DataHome.user.people))
      return
    }
    self.init(system, file: path)
  }
}

/// The directories of the pages' control sockets: the user's runtime directory, or the data directory.
enum PageSockets {
  /// The directory for this program's socket.
  static var folder: String { folders[0] }

  /// The directories in which running pages may have their sockets. The page of a system service uses the
  /// data directory, because it has no runtime directory.
  static var folders: [String] {
    let runtime = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"].flatMap {
      $0.hasPrefix("/") ? $0 + "/hrgate" : nil
    }
    return [runtime, DataHome.user.path + "/run"].compactMap(\.self)
  }
}

/// Opens an address with the desktop's browser. Without a desktop the user opens the printed address.
enum BrowserLauncher {
  static func open(_ address: String) {
    let environment = ProcessInfo.processInfo.environment
    guard StandardOutput.isTerminal,
      ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { environment[$0] != nil })
    else { return }
    let browser = Process()
    browser.executableURL = URL(filePath: "/usr/bin/env")
    browser.arguments = ["xdg-open", address]
    // Keep the browser's messages off this terminal.
    browser.standardOutput = FileHandle.nullDevice
    browser.standardError = FileHandle.nullDevice
    try? browser.run()
  }
}
