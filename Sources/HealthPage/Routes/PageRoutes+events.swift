extension PageRoutes {
  /// Adds the route for the stream of server-sent events.
  mutating func addEvents(
    _ monitors: PageMonitors, _ stores: StoreCache, _ streamLimit: StreamLimit, _ rhythm: EventRhythm,
    _ sessions: PageSessions
  ) {
    reads["/api/events"] = { request in
      let session = request.session.id
      let stream = EventStream(
        store: try stores.store(for: request), person: stores.person(for: request), monitors: monitors,
        slot: try streamLimit.slot(session), rhythm: rhythm,
        heard: { sessions.use(session) })
      var response = PageResponse("text/event-stream") { try await stream.run($0) }
      response.fields["Connection"] = "close"
      return response
    }
  }
}
