extension ServiceScope {
  /// The text of the unit's file. That in the repository's folder `systemd` is the same, for a program in
  /// /usr/local/bin.
  ///
  /// - Parameter program: The path of `hrgate`.
  public func text(program: String) -> String {
    switch self {
    case .system: Self.system(Self.quoted(program))
    case .user: Self.user(Self.quoted(program))
    }
  }

  /// systemd.service(5), "Command lines": specifiers and variables are doubled, spaces quoted.
  private static func quoted(_ path: String) -> String {
    let text = path.replacing("%", with: "%%").replacing("$", with: "$$")
    guard text.contains(where: { $0.isWhitespace || "\"'\\;".contains($0) }) else { return text }
    return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  private static func system(_ program: String) -> String {
    """
    [Unit]
    Description=Bluetooth LE heart-rate gateway of %i
    # Not Requires or BindsTo: the gateway outlives bluetoothd and waits for the next one.
    Wants=bluetooth.service
    After=bluetooth.service dbus.socket remote-fs.target
    # It is tried for ever: a home may come late, and a disk be freed.
    StartLimitIntervalSec=0

    [Service]
    Type=notify
    ExecStart=\(program) run --wait
    User=%i
    UMask=0077
    # A store of an older version is brought up to date before the gateway is ready: years of data take their time.
    TimeoutStartSec=infinity
    # Fed when the thread of the bus, the intake, the commits and the store have done something, and not by the clock.
    WatchdogSec=180
    Restart=on-failure
    RestartSec=10
    # Wrong usage stays wrong, and a store that is damaged or of a newer version stays so until somebody sees to it.
    RestartPreventExitStatus=2 65
    # What is gathered is committed, and gaps are closed, within two seconds of the wish to end, on a machine that is not overloaded.
    TimeoutStopSec=20

    # Of all homes it sees the owner's store and configuration, and no more. Where the home or the store is elsewhere,
    # `hrgate service enable` adds a file that says so. The store's folder has to be there: without it the service does not
    # start, and what is measured does not end in a folder of memory.
    ProtectHome=tmpfs
    BindPaths=/home/%i/.local/share/hrgate
    BindReadOnlyPaths=-/home/%i/.config/hrgate

    # It needs the buses, its store and, for destinations on other machines, the Internet. AF_NETLINK: it asks the kernel which
    # user connects to the page. (Not ProcSubset=pid: which start of the machine this is stands in /proc/sys.)
    AmbientCapabilities=
    CapabilityBoundingSet=
    KeyringMode=private
    LockPersonality=yes
    MemoryDenyWriteExecute=yes
    NoNewPrivileges=yes
    PrivateDevices=yes
    PrivateTmp=yes
    ProtectClock=yes
    ProtectControlGroups=yes
    ProtectHostname=yes
    ProtectKernelLogs=yes
    ProtectKernelModules=yes
    ProtectKernelTunables=yes
    ProtectProc=invisible
    ProtectSystem=strict
    RemoveIPC=yes
    RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
    RestrictNamespaces=yes
    RestrictRealtime=yes
    RestrictSUIDSGID=yes
    SystemCallArchitectures=native
    SystemCallFilter=@system-service
    SystemCallFilter=~@privileged @resources
    SystemCallErrorNumber=EPERM

    [Install]
    # The target is reached when there is an adapter: at boot, or when one is plugged in.
    WantedBy=bluetooth.target

    """
  }

  private static func user(_ program: String) -> String {
    """
    [Unit]
    Description=Bluetooth LE heart-rate gateway
    # It is tried for ever: a home may come late, and a disk be freed.
    StartLimitIntervalSec=0

    [Service]
    Type=notify
    ExecStart=\(program) run --wait
    UMask=0077
    # As for hrgate@.service, where each has its reason. What needs privileges to set up is left out: a user's manager has none.
    TimeoutStartSec=infinity
    WatchdogSec=180
    Restart=on-failure
    RestartSec=10
    RestartPreventExitStatus=2 65
    TimeoutStopSec=20
    LockPersonality=yes
    MemoryDenyWriteExecute=yes
    NoNewPrivileges=yes
    RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
    RestrictNamespaces=yes
    RestrictRealtime=yes
    RestrictSUIDSGID=yes
    SystemCallArchitectures=native
    SystemCallFilter=@system-service
    SystemCallFilter=~@privileged @resources
    SystemCallErrorNumber=EPERM

    [Install]
    WantedBy=bluetooth.target

    """
  }
}
