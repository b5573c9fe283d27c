// Module googleapi stands in for google.golang.org/api, of which the server uses
// three names and which is 390 MB (docs/decisions/0038).
module google.golang.org/api

go 1.26.0

require golang.org/x/oauth2 v0.37.0
